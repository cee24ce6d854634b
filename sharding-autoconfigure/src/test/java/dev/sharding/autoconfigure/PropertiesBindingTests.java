package dev.sharding.autoconfigure;

import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.convert.ApplicationConversionService;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.unit.DataSize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What is documented can be set: the value of every property is found in the records
 * behind them, and a value that cannot be one names the property.
 */
class PropertiesBindingTests {

	private static final Map<String, String> ROOTS = DocumentedProperty.roots();

	/* What a property needs beside it. */
	private static final Map<String, Map<String, String>> COMPANIONS = Map.of("definition.resources[0].",
			Map.of("definition.apply", "true", "definition.resources[0].resource", "secrets"),
			"controlled-resources[0].", Map.of("definition.resources[0].controlled-resources[0].resource", "secrets"),
			"definition.namespace-selector", Map.of("definition.apply", "true"), "sharding.qos.classes.seven.",
			Map.of("sharding.qos.classes.seven.kind", "token-bucket"), "sharding.qos.rules.seven.",
			Map.of("sharding.qos.rules.seven.priority", "1", "sharding.qos.rules.seven.qos-class", "seven"));

	@ParameterizedTest
	@MethodSource("properties")
	void whatIsSetIsInTheRecord(DocumentedProperty property) {
		String name = concrete(property);
		Type type = typeOf(name);
		Sample sample = Sample.of(name, type, property.defaultValue());
		Map<String, Object> set = companions(name);
		set.put(sample.key(), sample.text());
		Object bound = bind(name, set);
		assertThat(valueOf(name, bound)).as(name).isEqualTo(sample.expected());
	}

	@ParameterizedTest
	@MethodSource("propertiesThatAreNoText")
	void aValueThatCannotBeOneNamesTheProperty(DocumentedProperty property) {
		String name = concrete(property);
		Map<String, Object> set = companions(name);
		set.put(name, "no value of this kind");
		assertThatExceptionOfType(BindException.class).isThrownBy(() -> bind(name, set)).satisfies((failure) -> {
			FailureAnalysis analysis = SpringFactoriesLoader.forDefaultResourceLocation()
				.load(FailureAnalyzer.class, (type, unused, otherNeedsArguments) -> {
				})
				.stream()
				.map((analyzer) -> analyzer.analyze(failure))
				.filter((found) -> found != null)
				.findFirst()
				.orElseThrow();
			assertThat(analysis.getDescription()).contains(name).contains("no value of this kind");
		});
	}

	static Stream<DocumentedProperty> properties() {
		List<DocumentedProperty> all = DocumentedProperty.all();
		return all.stream()
			.filter((property) -> property.name().startsWith("sharding."))
			// What has members is set by them.
			.filter((property) -> all.stream()
				.noneMatch((other) -> other.name().startsWith(property.name() + ".")
						|| other.name().startsWith(property.name() + "[")));
	}

	static Stream<DocumentedProperty> propertiesThatAreNoText() {
		return properties()
			.filter((property) -> !property.type().contains("<") && !property.type().equals(String.class.getName()));
	}

	private static String concrete(DocumentedProperty property) {
		return property.name().replace(DocumentedProperty.KEY, "seven");
	}

	private static String root(String name) {
		return ROOTS.keySet()
			.stream()
			.filter((prefix) -> name.startsWith(prefix + "."))
			.reduce((one, other) -> (one.length() > other.length()) ? one : other)
			.orElseThrow();
	}

	private static Object bind(String name, Map<String, Object> set) {
		Class<?> type = ClassUtils.resolveClassName(ROOTS.get(root(name)), null);
		return new Binder(new MapConfigurationPropertySource(set)).bind(root(name), Bindable.of(type)).get();
	}

	private static Map<String, Object> companions(String name) {
		Map<String, Object> set = new LinkedHashMap<>();
		COMPANIONS.forEach((part, values) -> {
			int at = name.indexOf(part);
			if (at >= 0) {
				values.forEach((key, value) -> set.put(key.startsWith("sharding.") ? key : beforeDefinition(name) + key,
						value));
			}
		});
		return set;
	}

	private static String beforeDefinition(String name) {
		return name.substring(0, name.indexOf("definition."));
	}

	/** The type of a property, found on the way from the record down to it. */
	private static Type typeOf(String name) {
		Type type = ClassUtils.resolveClassName(ROOTS.get(root(name)), null);
		for (String step : steps(name)) {
			if (type instanceof ParameterizedType members) {
				type = members.getActualTypeArguments()[members.getActualTypeArguments().length - 1];
			}
			else {
				type = accessor((Class<?>) type, step).getGenericReturnType();
			}
		}
		return type;
	}

	private static Object valueOf(String name, Object bound) {
		Object value = bound;
		for (String step : steps(name)) {
			if (value instanceof Map<?, ?> map) {
				value = map.get(step);
			}
			else if (value instanceof List<?> list) {
				value = list.get(Integer.parseInt(step));
			}
			else {
				value = ReflectionUtils.invokeMethod(accessor(value.getClass(), step), value);
			}
		}
		return value;
	}

	private static List<String> steps(String name) {
		return Stream.of(name.substring(root(name).length() + 1).split("[.\\[]"))
			.map((step) -> step.replace("]", ""))
			.toList();
	}

	private static Method accessor(Class<?> type, String property) {
		return Stream.of(type.getDeclaredMethods())
			.filter((method) -> method.getParameterCount() == 0
					&& method.getName().equalsIgnoreCase(property.replace("-", "")))
			.peek(ReflectionUtils::makeAccessible)
			.findFirst()
			.orElseThrow(() -> new AssertionError("%s has no '%s'".formatted(type, property)));
	}

	/**
	 * A value that is not the default.
	 *
	 * @param key what to set
	 * @param text what to set it to
	 * @param expected what the record must have then
	 */
	private record Sample(String key, String text, Object expected) {

		static Sample of(String name, Type type, Object defaultValue) {
			if (type instanceof ParameterizedType generic) {
				return ofMembers(name, generic);
			}
			String text = text((Class<?>) type, defaultValue);
			return new Sample(name, text, convert(text, (Class<?>) type));
		}

		private static Sample ofMembers(String name, ParameterizedType type) {
			Type[] arguments = type.getActualTypeArguments();
			if (Collection.class.isAssignableFrom((Class<?>) type.getRawType())) {
				Class<?> member = (Class<?>) arguments[0];
				String text = text(member, null);
				Stream<Object> expected = Stream.of(convert(text, member));
				return new Sample(name, text,
						(type.getRawType() == List.class) ? expected.toList() : expected.collect(Collectors.toSet()));
			}
			String key = text((Class<?>) arguments[0], null);
			Sample value = of(name + "." + key, arguments[1], null);
			return new Sample(value.key(), value.text(),
					Map.of(convert(key, (Class<?>) arguments[0]), value.expected()));
		}

		private static Object convert(String text, Class<?> type) {
			Object converted = ApplicationConversionService.getSharedInstance().convert(text, type);
			assertThat(converted).as(text).isNotNull();
			return converted;
		}

		private static String text(Class<?> type, Object defaultValue) {
			if (type == boolean.class || type == Boolean.class) {
				return String.valueOf(!Boolean.TRUE.equals(defaultValue));
			}
			if (type == Duration.class) {
				// Some are a minute at most.
				return "3s".equals(defaultValue) ? "9s" : "9m";
			}
			if (type == DataSize.class) {
				return "7MB";
			}
			if (type == double.class || type == Double.class) {
				// Some are a share.
				return "0.7";
			}
			if (type.isEnum()) {
				return Stream.of(type.getEnumConstants())
					.map((constant) -> constant.toString().toLowerCase(Locale.ROOT).replace('_', '-'))
					.filter((constant) -> !constant.equals(defaultValue))
					.findFirst()
					.orElseThrow();
			}
			return (type == String.class) ? "seven" : "7";
		}

	}

}
