package dev.sharding.qos;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.sharding.qos.QosProperties.RulesProperties;
import dev.sharding.qos.spi.InvalidQosException;
import dev.sharding.qos.spi.QosRules;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.BindableRuntimeHintsRegistrar;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.util.StringUtils;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/**
 * Texts in YAML to what they define. Nothing in them is passed over: a property that does
 * not exist is a mistake.
 */
final class RulesText {

	private static final Set<String> MAY_BE_EMPTY = Set.of("classes", "rules");

	private static final Object NOTHING = new Object();

	private RulesText() {
	}

	/**
	 * Reads a whole set, as {@link QosExport} writes it: a configuration with
	 * {@code built-in-rules}, {@code classes} and {@code rules} below
	 * {@code sharding.qos}.
	 * @param name what the text is called
	 * @param text the text
	 * @return the set; none if it says {@code enabled: false}
	 * @throws InvalidQosException if it is no such set
	 */
	static QosRules parse(String name, String text) {
		if (!(parse(name, name, text).get("sharding") instanceof Map<?, ?> sharding)
				|| !(sharding.get("qos") instanceof Map<?, ?> qos) || sharding.size() > 1) {
			throw new InvalidQosException(name,
					"'%s' must hold 'sharding.qos' and nothing else, as the endpoint's export does".formatted(name));
		}
		try {
			RulesProperties defined = bind(name, qos, RulesProperties.class);
			return defined.enabled() ? QosDefinitions.of(defined.builtInRules(), defined.classes(), defined.rules())
					: QosRules.NONE;
		}
		catch (BindException ex) {
			throw new InvalidQosException(name, "'%s' cannot be read: %s".formatted(name,
					NestedExceptionUtils.getMostSpecificCause(ex).getMessage()));
		}
	}

	/**
	 * Reads the definition of a class or a rule.
	 * @param <V> what it defines
	 * @param name the name of the class or rule
	 * @param definition the text
	 * @param type what it defines
	 * @return what it defines
	 * @throws BindException if it does not
	 */
	static <V> V bind(String name, String definition, Class<V> type) {
		return bind(name, parse(name, "definition", definition), type);
	}

	private static <V> V bind(String name, Map<?, ?> parsed, Class<V> type) {
		Map<String, Object> flat = new LinkedHashMap<>();
		parsed.forEach((key, nested) -> {
			// Nobody need define classes or rules.
			if (!(nested instanceof Map<?, ?> all && all.isEmpty() && MAY_BE_EMPTY.contains(String.valueOf(key)))) {
				flatten("definition", key, nested, flat);
			}
		});
		flat.forEach((path, value) -> {
			if (value == NOTHING) {
				throw new InvalidQosException(name, "'%s' of '%s' is empty: give it a value, or leave it out"
					.formatted(path.substring(path.indexOf('.') + 1), name));
			}
		});
		return new Binder(new MapConfigurationPropertySource(flat)).bindOrCreate("definition", Bindable.of(type),
				new NoUnboundElementsBindHandler(BindHandler.DEFAULT, (source) -> true));
	}

	private static Map<?, ?> parse(String name, String what, String text) {
		LoaderOptions options = new LoaderOptions();
		options.setAllowDuplicateKeys(false);
		// With aliases a few lines could stand for billions, or hold themselves.
		options.setMaxAliasesForCollections(0);
		Object loaded;
		try {
			loaded = new Yaml(new SafeConstructor(options)).load(text);
		}
		// SnakeYAML throws anything for a value that is not of the type which it names.
		catch (RuntimeException ex) {
			throw new InvalidQosException(name, "'%s' is no YAML: %s".formatted(what, ex.getMessage()));
		}
		if (loaded instanceof Map<?, ?> map) {
			return map;
		}
		throw new InvalidQosException(name,
				"'%s' must be a mapping in YAML (is %s)".formatted(what, StringUtils.truncate(text)));
	}

	/* As Spring Boot does it: a key in brackets is taken as it is. */
	private static void flatten(String prefix, @Nullable Object key, @Nullable Object value, Map<String, Object> flat) {
		String path = String.valueOf(key).startsWith("[") ? prefix + key : prefix + "." + key;
		if (value == null || (value instanceof Map<?, ?> map && map.isEmpty())
				|| (value instanceof List<?> list && list.isEmpty())) {
			flat.put(path, NOTHING);
		}
		else if (value instanceof Map<?, ?> map) {
			map.forEach((nestedKey, nested) -> flatten(path, nestedKey, nested, flat));
		}
		else if (value instanceof List<?> list) {
			for (int i = 0; i < list.size(); i++) {
				flatten(path, "[" + i + "]", list.get(i), flat);
			}
		}
		else {
			flat.put(path, value);
		}
	}

	/**
	 * No bean has these properties, so that nobody else tells the native image of them.
	 */
	static final class Hints implements RuntimeHintsRegistrar {

		@Override
		public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
			BindableRuntimeHintsRegistrar.forTypes(RulesProperties.class).registerHints(hints);
		}

	}

}
