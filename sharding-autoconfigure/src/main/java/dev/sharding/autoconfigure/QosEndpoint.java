package dev.sharding.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

import dev.sharding.autoconfigure.QosProperties.QosClassProperties;
import dev.sharding.autoconfigure.QosProperties.QosRuleProperties;
import dev.sharding.core.qos.InvalidQosException;
import dev.sharding.core.qos.Measure;
import dev.sharding.core.qos.QosClass;
import dev.sharding.core.qos.QosRule;
import dev.sharding.core.qos.QosRules;
import dev.sharding.kubernetes.qos.Qos;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

/**
 * Endpoint {@code qos}: shows the classes and rules in force, what they did and the
 * latest limited and expensive requests; changes classes and rules where write access is
 * granted. A change is taken as a whole or refused with the reason.
 */
@WebEndpoint(id = "qos", defaultAccess = Access.READ_ONLY)
final class QosEndpoint {

	/* How long a reader of the monitor waits for news. */
	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private static final int MOST = 100;

	private final Qos qos;

	QosEndpoint(Qos qos) {
		this.qos = qos;
	}

	@ReadOperation
	Map<String, Object> all() {
		Map<String, Object> all = new LinkedHashMap<>();
		all.put("classes", classes());
		all.put("rules", rules());
		all.put("counts", this.qos.counts());
		return all;
	}

	@ReadOperation
	@Nullable Object list(@Selector String kind, @Nullable String type, @Nullable Double threshold, @Nullable Integer limit,
			@Nullable Long since) throws InterruptedException {
		return switch (kind) {
			case "classes" -> classes();
			case "rules" -> rules();
			case "counts" -> this.qos.counts();
			case "export" -> Map.of("sharding", Map.of("qos", exported()));
			case "monitor" -> this.qos.monitor()
				.since((type != null) ? measure(type) : null, (threshold != null) ? threshold : 0,
						Math.max(1, Math.min(MOST, (limit != null) ? limit : MOST)), (since != null) ? since : 0,
						PATIENCE);
			default -> null;
		};
	}

	@ReadOperation
	@Nullable Object get(@Selector String kind, @Selector String name) {
		return switch (kind) {
			case "classes" -> classes().get(name);
			case "rules" -> rules().get(name);
			default -> null;
		};
	}

	/**
	 * Adds or updates a class or a rule.
	 * @param kind {@code classes} or {@code rules}
	 * @param name its name
	 * @param definition as in the configuration
	 * @param update whether one of this name may be there already, rather than must not
	 */
	@WriteOperation
	WebEndpointResponse<Object> define(@Selector String kind, @Selector String name, Map<String, Object> definition,
			@Nullable Boolean update) {
		boolean replace = Boolean.TRUE.equals(update);
		return switch (kind) {
			case "classes" -> changed(kind, name, (before) -> {
				requireFree(before.classes().containsKey(name), replace, "class", name);
				Map<String, QosClass> classes = new TreeMap<>(before.classes());
				classes.put(name, QosDefinitions.qosClass(name, bind(definition, QosClassProperties.class)));
				return QosRules.define(classes, before.rules());
			});
			case "rules" -> changed(kind, name, (before) -> {
				List<QosRule> rules = without(before, name);
				requireFree(rules.size() < before.rules().size(), replace, "rule", name);
				rules.add(QosDefinitions.rule(name, bind(definition, QosRuleProperties.class)));
				return QosRules.define(before.classes(), rules);
			});
			default -> new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND);
		};
	}

	@DeleteOperation
	WebEndpointResponse<Object> delete(@Selector String kind, @Selector String name) {
		if (get(kind, name) == null) {
			return new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND);
		}
		return changed(kind, name, (before) -> {
			if (kind.equals("rules")) {
				return QosRules.define(before.classes(), without(before, name));
			}
			Map<String, QosClass> classes = new TreeMap<>(before.classes());
			classes.remove(name);
			return QosRules.define(classes, before.rules());
		});
	}

	private WebEndpointResponse<Object> changed(String kind, String name, UnaryOperator<QosRules> change) {
		try {
			this.qos.change(change);
		}
		catch (InvalidQosException ex) {
			return refused(ex.offender(), ex.getMessage());
		}
		catch (IllegalArgumentException | BindException ex) {
			Throwable reason = ex;
			while (reason.getCause() != null && ex instanceof BindException) {
				reason = reason.getCause();
				if (reason instanceof IllegalArgumentException) {
					break;
				}
			}
			return refused(name, reason.getMessage());
		}
		Object now = get(kind, name);
		return new WebEndpointResponse<>((now != null) ? now : Map.of("deleted", name));
	}

	private static WebEndpointResponse<Object> refused(String offender, @Nullable String reason) {
		return new WebEndpointResponse<>(Map.of("offender", offender, "reason", String.valueOf(reason)),
				WebEndpointResponse.STATUS_BAD_REQUEST);
	}

	private Map<String, Map<String, Object>> classes() {
		Map<String, Map<String, Object>> classes = new TreeMap<>();
		this.qos.rules().classes().forEach((name, qosClass) -> classes.put(name, QosDefinitions.text(qosClass)));
		return classes;
	}

	private Map<String, Map<String, Object>> rules() {
		Map<String, Map<String, Object>> rules = new LinkedHashMap<>();
		this.qos.rules().rules().forEach((rule) -> rules.put(rule.name(), QosDefinitions.text(rule)));
		return rules;
	}

	/* The built-in rules are part of what runs, so they are not added once more. */
	private Map<String, Object> exported() {
		Map<String, Object> exported = new LinkedHashMap<>();
		exported.put("enabled", true);
		exported.put("built-in-rules", false);
		exported.put("classes", classes());
		exported.put("rules", rules());
		return exported;
	}

	private static List<QosRule> without(QosRules rules, String name) {
		List<QosRule> others = new ArrayList<>(rules.rules());
		others.removeIf((rule) -> rule.name().equals(name));
		return others;
	}

	private static void requireFree(boolean taken, boolean replace, String what, String name) {
		if (taken && !replace) {
			throw new IllegalArgumentException(
					"There is a %s '%s' already: choose another name, or send 'update': true".formatted(what, name));
		}
	}

	private static Measure measure(String type) {
		return switch (type) {
			case "latency" -> Measure.LATENCY;
			case "traffic" -> Measure.TOTAL_TRAFFIC;
			case "items" -> Measure.PREDICTED_ITEMS;
			default -> throw new InvalidEndpointRequestException(
					"'type' must be latency, traffic or items (is %s)".formatted(type), "unknown type");
		};
	}

	private static <V> V bind(Map<String, Object> definition, Class<V> type) {
		Map<String, Object> flat = new LinkedHashMap<>();
		flatten("definition", definition, flat);
		return new Binder(new MapConfigurationPropertySource(flat)).bindOrCreate("definition", Bindable.of(type));
	}

	private static void flatten(String prefix, @Nullable Object value, Map<String, Object> flat) {
		if (value instanceof Map<?, ?> map) {
			map.forEach((key, nested) -> flatten(prefix + "." + key, nested, flat));
		}
		else if (value instanceof List<?> list) {
			for (int i = 0; i < list.size(); i++) {
				flatten(prefix + "[" + i + "]", list.get(i), flat);
			}
		}
		else if (value != null) {
			flat.put(prefix, value);
		}
	}

}
