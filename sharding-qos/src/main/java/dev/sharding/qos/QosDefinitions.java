package dev.sharding.qos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

import dev.sharding.qos.QosProperties.Kind;
import dev.sharding.qos.QosProperties.QosClassProperties;
import dev.sharding.qos.QosProperties.QosRuleProperties;
import dev.sharding.qos.QosProperties.Scope;
import dev.sharding.qos.spi.Condition;
import dev.sharding.qos.spi.InvalidQosException;
import dev.sharding.qos.spi.PathPrefix;
import dev.sharding.qos.spi.QosClass;
import dev.sharding.qos.spi.QosRule;
import dev.sharding.qos.spi.QosRules;
import dev.sharding.qos.spi.Subject;
import org.jspecify.annotations.Nullable;

/**
 * Properties to classes and rules.
 */
final class QosDefinitions {

	private QosDefinitions() {
	}

	/**
	 * The rules of the configuration, after the built-in ones of which none has its name.
	 */
	static QosRules of(QosProperties properties) {
		return of(properties.builtInRules(), properties.classes(), properties.rules());
	}

	static QosRules of(boolean builtIn, Map<String, QosClassProperties> ownClasses,
			Map<String, QosRuleProperties> ownRules) {
		Map<String, QosClassProperties> classes = new LinkedHashMap<>();
		Map<String, QosRuleProperties> rules = new LinkedHashMap<>();
		if (builtIn) {
			classes.putAll(QosBuiltIns.classes());
			rules.putAll(QosBuiltIns.rules());
		}
		classes.putAll(ownClasses);
		rules.putAll(ownRules);
		Map<String, QosClass> defined = new TreeMap<>();
		classes.forEach((name, definition) -> defined.put(name, qosClass(name, definition)));
		List<QosRule> ruled = new ArrayList<>();
		rules.forEach((name, definition) -> ruled.add(rule(name, definition)));
		return QosRules.define(defined, shared(classes), ruled);
	}

	private static Set<String> shared(Map<String, QosClassProperties> classes) {
		return classes.entrySet()
			.stream()
			.filter((named) -> named.getValue().shared())
			.map(Map.Entry::getKey)
			.collect(Collectors.toSet());
	}

	static QosClass qosClass(String name, QosClassProperties definition) {
		try {
			return switch (required("kind", definition.kind())) {
				case TOKEN_BUCKET -> {
					double qps = required("qps", definition.qps());
					yield new QosClass.TokenBucket(qps,
							(definition.burst() != null) ? definition.burst() : (long) Math.max(1, qps));
				}
				case LEAKY_BUCKET -> new QosClass.LeakyBucket(required("qps", definition.qps()), definition.queue());
				case RUNNING_WINDOW -> new QosClass.RunningWindow(required("units", definition.units()),
						required("window", definition.window()));
				case MAX_IN_FLIGHT -> new QosClass.MaxInFlight(required("max", definition.max()));
			};
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidQosException(name, "QoS class '%s': %s".formatted(name, ex.getMessage()));
		}
	}

	static QosRule rule(String name, QosRuleProperties definition) {
		try {
			List<Subject> subjects = new ArrayList<>();
			definition.subjects()
				.forEach((kind, names) -> names.forEach((subject) -> subjects.add(new Subject(kind, subject))));
			List<Condition> conditions = new ArrayList<>();
			definition.conditions().forEach((measure, threshold) -> conditions.add(new Condition(measure, threshold)));
			return new QosRule(name, definition.enabled(), definition.priority(), subjects,
					definition.paths().stream().map(PathPrefix::parse).toList(), definition.operations(), conditions,
					required("qos-class", definition.qosClass()), definition.cost(), definition.accounting(),
					definition.scope() == Scope.RING, ring(definition), definition.maxWait());
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidQosException(name, "QoS rule '%s': %s".formatted(name, ex.getMessage()));
		}
	}

	private static String ring(QosRuleProperties definition) {
		String ring = Objects.requireNonNullElse(definition.ring(), "");
		if (!ring.isEmpty() && definition.scope() != Scope.RING) {
			throw new IllegalArgumentException("'ring' needs 'scope: ring' (is %s)".formatted(ring));
		}
		return ring;
	}

	/** A class as it is written in the configuration. */
	static Map<String, Object> text(QosClass qosClass, boolean shared) {
		Map<String, Object> text = new LinkedHashMap<>();
		if (qosClass instanceof QosClass.TokenBucket bucket) {
			text.put("kind", text(Kind.TOKEN_BUCKET));
			text.put("qps", bucket.qps());
			text.put("burst", bucket.burst());
		}
		else if (qosClass instanceof QosClass.LeakyBucket bucket) {
			text.put("kind", text(Kind.LEAKY_BUCKET));
			text.put("qps", bucket.qps());
			text.put("queue", bucket.queue());
		}
		else if (qosClass instanceof QosClass.RunningWindow window) {
			text.put("kind", text(Kind.RUNNING_WINDOW));
			text.put("units", window.units());
			text.put("window", text(window.window()));
		}
		else {
			text.put("kind", text(Kind.MAX_IN_FLIGHT));
			text.put("max", ((QosClass.MaxInFlight) qosClass).max());
		}
		if (shared) {
			text.put("shared", true);
		}
		return text;
	}

	/** A rule as it is written in the configuration; what has its default is left out. */
	static Map<String, Object> text(QosRule rule) {
		Map<String, Object> text = new LinkedHashMap<>();
		if (!rule.enabled()) {
			text.put("enabled", false);
		}
		text.put("priority", rule.priority());
		if (!rule.subjects().isEmpty()) {
			Map<String, List<String>> subjects = new LinkedHashMap<>();
			rule.subjects()
				.forEach((subject) -> subjects.computeIfAbsent(text(subject.kind()), (kind) -> new ArrayList<>())
					.add(subject.name()));
			text.put("subjects", subjects);
		}
		if (!rule.paths().isEmpty()) {
			text.put("paths", rule.paths().stream().map(PathPrefix::text).toList());
		}
		if (!rule.operations().isEmpty()) {
			text.put("operations", rule.operations().stream().sorted().map(QosDefinitions::text).toList());
		}
		if (!rule.conditions().isEmpty()) {
			Map<String, Double> conditions = new LinkedHashMap<>();
			rule.conditions().forEach((condition) -> conditions.put(text(condition.measure()), condition.threshold()));
			text.put("conditions", conditions);
		}
		text.put("qos-class", rule.qosClass());
		text.put("cost", text(rule.cost()));
		text.put("accounting", text(rule.accounting()));
		text.put("scope", text(rule.ringWide() ? Scope.RING : Scope.SHARD));
		if (!rule.ring().isEmpty()) {
			text.put("ring", rule.ring());
		}
		text.put("max-wait", text(rule.longestWait()));
		return text;
	}

	private static String text(Enum<?> value) {
		return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

	private static String text(Duration duration) {
		return duration.toString();
	}

	private static <V> V required(String property, @Nullable V value) {
		if (value == null) {
			throw new IllegalArgumentException("'%s' must be set".formatted(property));
		}
		return value;
	}

}
