package dev.sharding.internal.kubernetes.cache.check;

import java.time.Duration;
import java.util.Locale;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

/**
 * Counts the consistent reads of one resource, and how long they waited.
 */
public final class ReadMeters {

	/** Those of the API server's own histogram of such waits. */
	private static final Duration[] BUCKETS = { Duration.ofMillis(5), Duration.ofMillis(25), Duration.ofMillis(50),
			Duration.ofMillis(100), Duration.ofMillis(200), Duration.ofMillis(400), Duration.ofMillis(600),
			Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ofSeconds(3), Duration.ofSeconds(10) };

	private final MeterRegistry registry;

	private final String resource;

	public ReadMeters(MeterRegistry registry, String resource) {
		this.registry = registry;
		this.resource = resource;
	}

	/**
	 * A read has ended.
	 * @param strategy how it was to be answered, or {@code quorum} for one object
	 * @param outcome what answered it, or why nothing did
	 * @param nanos how long it took until there was something to read from
	 */
	public void read(String strategy, String outcome, long nanos) {
		Timer.builder("sharding.cache.read.wait")
			.description("How long consistent reads waited")
			.tags("resource", this.resource, "strategy", strategy)
			.serviceLevelObjectives(BUCKETS)
			.register(this.registry)
			.record(Duration.ofNanos(nanos));
		Counter.builder("sharding.cache.reads")
			.description("Consistent reads")
			.tags("resource", this.resource, "strategy", strategy, "outcome", outcome)
			.register(this.registry)
			.increment();
	}

	public static String name(Enum<?> value) {
		return value.name().toLowerCase(Locale.ROOT);
	}

}
