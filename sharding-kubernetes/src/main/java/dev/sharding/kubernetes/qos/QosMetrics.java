package dev.sharding.kubernetes.qos;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import dev.sharding.core.qos.ActualCost;
import dev.sharding.core.qos.Prediction;
import dev.sharding.core.qos.QosRule;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import org.jspecify.annotations.Nullable;

/**
 * The meters of QoS: {@code sharding.qos.requests}, {@code .waited}, {@code .rejected}
 * and {@code .wait} by rule and class, {@code .items} and {@code .response.bytes} as
 * predicted and actual, {@code .memory} by hit and miss.
 */
final class QosMetrics {

	private final MeterRegistry registry;

	private final Counter unmatched;

	private final Counter hits;

	private final Counter misses;

	private final Map<String, RuleMeters> rules = new ConcurrentHashMap<>();

	QosMetrics(MeterRegistry registry) {
		this.registry = registry;
		this.unmatched = counter("sharding.qos.requests", "Requests by the rule that limits them",
				Tags.of("rule", "none", "class", "none"));
		this.hits = counter("sharding.qos.memory", "Whether the shape of a request was known",
				Tags.of("result", "hit"));
		this.misses = counter("sharding.qos.memory", "Whether the shape of a request was known",
				Tags.of("result", "miss"));
	}

	void unmatched() {
		this.unmatched.increment();
	}

	void recalled(boolean known) {
		(known ? this.hits : this.misses).increment();
	}

	void cost(@Nullable Prediction predicted, ActualCost actual) {
		if (predicted != null && !actual.failed()) {
			both("sharding.qos.response.bytes", "Bytes of answers", predicted.responseBytes(), actual.responseBytes());
			if (!Double.isNaN(actual.items()) && !Double.isNaN(predicted.items())) {
				both("sharding.qos.items", "Objects in answers", predicted.items(), actual.items());
			}
		}
	}

	RuleMeters of(QosRule rule) {
		RuleMeters known = this.rules.get(rule.name());
		return (known != null && known.qosClass.equals(rule.qosClass())) ? known
				: this.rules.compute(rule.name(), (name, before) -> new RuleMeters(this.registry, rule));
	}

	private void both(String name, String description, double predicted, double actual) {
		summary(name, description, "predicted").record(predicted);
		summary(name, description, "actual").record(actual);
	}

	private DistributionSummary summary(String name, String description, String kind) {
		return DistributionSummary.builder(name).description(description).tag("kind", kind).register(this.registry);
	}

	private Counter counter(String name, String description, Tags tags) {
		return Counter.builder(name).description(description).tags(tags).register(this.registry);
	}

	/** The meters of one rule. */
	static final class RuleMeters {

		private final String qosClass;

		private final String rule;

		private final Counter matched;

		private final Counter rejected;

		private final Timer wait;

		RuleMeters(MeterRegistry registry, QosRule rule) {
			this.rule = rule.name();
			this.qosClass = rule.qosClass();
			Tags tags = Tags.of("rule", rule.name(), "class", rule.qosClass());
			this.matched = Counter.builder("sharding.qos.requests")
				.description("Requests by the rule that limits them")
				.tags(tags)
				.register(registry);
			this.rejected = Counter.builder("sharding.qos.rejected")
				.description("Requests that were not sent")
				.tags(tags)
				.register(registry);
			this.wait = Timer.builder("sharding.qos.wait")
				.description("How long requests that had to wait did so")
				.tags(tags)
				.register(registry);
		}

		void matched() {
			this.matched.increment();
		}

		void rejected() {
			this.rejected.increment();
		}

		void waited(long nanos) {
			this.wait.record(Duration.ofNanos(nanos));
		}

		RuleCounts counts() {
			return new RuleCounts(this.rule, (long) this.matched.count(), this.wait.count(),
					(long) this.rejected.count());
		}

	}

}
