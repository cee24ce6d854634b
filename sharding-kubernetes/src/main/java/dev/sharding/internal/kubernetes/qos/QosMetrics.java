package dev.sharding.internal.kubernetes.qos;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

import dev.sharding.internal.core.qos.ActualCost;
import dev.sharding.internal.core.qos.Prediction;
import dev.sharding.qos.spi.QosRule;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import org.jspecify.annotations.Nullable;

/**
 * The meters of QoS: {@code sharding.qos.requests}, {@code .limited}, {@code .rejected}
 * and {@code .waited} by rule and class, {@code .items} and {@code .response.bytes} as
 * predicted and actual, {@code .prediction.ratio} of both, {@code .memory} by hit and
 * miss, {@code .expensive}.
 */
final class QosMetrics {

	private final MeterRegistry registry;

	private final Counter unmatched;

	private final Counter hits;

	private final Counter misses;

	private final Counter expensive;

	private final DistributionSummary itemsRatio;

	private final DistributionSummary bytesRatio;

	private final PredictedAndActual bytes;

	private final PredictedAndActual items;

	private final Map<String, RuleMeters> rules = new ConcurrentHashMap<>();

	QosMetrics(MeterRegistry registry) {
		this.registry = registry;
		this.unmatched = counter(registry, "sharding.qos.requests", "Requests by the rule that limits them",
				Tags.of("rule", "none", "class", "none"));
		this.hits = counter(registry, "sharding.qos.memory", "Whether the shape of a request was known",
				Tags.of("result", "hit"));
		this.misses = counter(registry, "sharding.qos.memory", "Whether the shape of a request was known",
				Tags.of("result", "miss"));
		this.expensive = counter(registry, "sharding.qos.expensive", "Requests that cost much, limited or not",
				Tags.empty());
		this.itemsRatio = ratio(registry, "items");
		this.bytesRatio = ratio(registry, "response-bytes");
		this.bytes = PredictedAndActual.register(registry, "sharding.qos.response.bytes", "Bytes of answers");
		this.items = PredictedAndActual.register(registry, "sharding.qos.items", "Objects in answers");
	}

	void unmatched() {
		this.unmatched.increment();
	}

	void recalled(boolean known) {
		(known ? this.hits : this.misses).increment();
	}

	void expensive() {
		this.expensive.increment();
	}

	/**
	 * Takes in how a prediction came out.
	 * @param predicted what earlier requests said, {@code null} for none
	 * @param items how many objects were predicted for the answer; NaN if that is not
	 * known
	 */
	void cost(@Nullable Prediction predicted, double items, ActualCost actual) {
		if (actual.failed()) {
			return;
		}
		record(this.items, this.itemsRatio, items, actual.items());
		if (predicted != null) {
			record(this.bytes, this.bytesRatio, predicted.responseBytes(), actual.responseBytes());
		}
	}

	/* Only pairs, as the two are compared; of nothing there is no share. */
	private static void record(PredictedAndActual both, DistributionSummary ratio, double predicted, double actual) {
		if (!Double.isNaN(predicted) && !Double.isNaN(actual)) {
			both.record(predicted, actual);
			ratio.record(predicted / Math.max(1, actual));
		}
	}

	private static DistributionSummary ratio(MeterRegistry registry, String of) {
		return DistributionSummary.builder("sharding.qos.prediction.ratio")
			.description("What was predicted of an answer, divided by what came")
			.tag("of", of)
			.register(registry);
	}

	RuleMeters of(QosRule rule) {
		RuleMeters known = this.rules.get(rule.name());
		return (known != null && known.qosClass.equals(rule.qosClass())) ? known
				: this.rules.compute(rule.name(), (name, before) -> new RuleMeters(this.registry, rule,
						(before != null) ? before.tally : new RuleTally()));
	}

	private static Counter counter(MeterRegistry registry, String name, String description, Tags tags) {
		return Counter.builder(name).description(description).tags(tags).register(registry);
	}

	/** What was predicted beside what it was, of the same requests. */
	private record PredictedAndActual(DistributionSummary predicted, DistributionSummary actual) {

		static PredictedAndActual register(MeterRegistry registry, String name, String description) {
			return new PredictedAndActual(summary(registry, name, description, "predicted"),
					summary(registry, name, description, "actual"));
		}

		private static DistributionSummary summary(MeterRegistry registry, String name, String description,
				String kind) {
			return DistributionSummary.builder(name).description(description).tag("kind", kind).register(registry);
		}

		void record(double before, double after) {
			this.predicted.record(before);
			this.actual.record(after);
		}

	}

	/**
	 * What one rule did, whatever its class. Meters are no place to count: a filter may
	 * deny them, and a registry may keep them per step, or may not be there.
	 */
	private static final class RuleTally {

		private final LongAdder matched = new LongAdder();

		private final LongAdder limited = new LongAdder();

		private final LongAdder waited = new LongAdder();

		private final LongAdder rejected = new LongAdder();

	}

	/** The counts of one rule, for the endpoint and as meters. */
	static final class RuleMeters {

		private final String qosClass;

		private final String rule;

		private final RuleTally tally;

		private final Counter matched;

		private final Counter limited;

		private final Counter rejected;

		private final Timer waited;

		RuleMeters(MeterRegistry registry, QosRule rule, RuleTally tally) {
			this.tally = tally;
			this.rule = rule.name();
			this.qosClass = rule.qosClass();
			Tags tags = Tags.of("rule", rule.name(), "class", rule.qosClass());
			this.matched = counter(registry, "sharding.qos.requests", "Requests by the rule that limits them", tags);
			this.limited = counter(registry, "sharding.qos.limited", "Requests that had to wait or were not sent",
					tags);
			this.rejected = counter(registry, "sharding.qos.rejected", "Requests that were not sent", tags);
			this.waited = Timer.builder("sharding.qos.waited")
				.description("How long requests that had to wait did so")
				.tags(tags)
				.register(registry);
		}

		void matched() {
			this.tally.matched.increment();
			this.matched.increment();
		}

		void limited() {
			this.tally.limited.increment();
			this.limited.increment();
		}

		void rejected() {
			this.tally.rejected.increment();
			this.rejected.increment();
		}

		void waited(long nanos) {
			this.tally.waited.increment();
			this.waited.record(Duration.ofNanos(nanos));
		}

		RuleCounts counts() {
			return new RuleCounts(this.rule, this.tally.matched.sum(), this.tally.limited.sum(),
					this.tally.waited.sum(), this.tally.rejected.sum());
		}

	}

}
