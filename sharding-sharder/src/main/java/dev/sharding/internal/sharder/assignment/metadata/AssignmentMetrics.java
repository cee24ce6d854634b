package dev.sharding.internal.sharder.assignment.metadata;

import java.time.Duration;
import java.util.function.LongSupplier;

import dev.sharding.internal.core.assignment.AssignmentDecision;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts what the sharder does to objects, under the names of protocol section 7.1 (a
 * Prometheus registry turns the dots into underscores and appends {@code _total}). An
 * object that gets a shard counts as an assignment; if it had another shard before, as a
 * movement as well. The log tells of each ten thousandth assignment.
 */
public final class AssignmentMetrics {

	private static final Logger log = LoggerFactory.getLogger(AssignmentMetrics.class);

	private static final int TOLD_EVERY = 10_000;

	private final MeterRegistry registry;

	private final String ring;

	/**
	 * Creates the metrics of a ring.
	 * @param registry where the counters live
	 * @param ring the name of the ring
	 */
	public AssignmentMetrics(MeterRegistry registry, String ring) {
		this.registry = registry;
		this.ring = ring;
	}

	/** The gauges of the work on the ring, for as long as it goes on. */
	public RingGauges gauges(LongSupplier nanoTime) {
		return new RingGauges(this.registry, this.ring, nanoTime);
	}

	public void ringCalculated() {
		this.registry.counter("controller.sharding.ring.calculations", "controllerring", this.ring).increment();
	}

	public void patched(ShardedResource resource, AssignmentDecision decision) {
		if (decision instanceof AssignmentDecision.Drain) {
			counter("controller.sharding.drains", resource).increment();
			return;
		}
		Counter assignments = counter("controller.sharding.assignments", resource);
		assignments.increment();
		// Two at a time may step over the number, and nobody misses a line.
		if (assignments.count() % TOLD_EVERY == 0) {
			log.info("Objects have been given to shards ring={} resource={} sinceStart={}", this.ring, resource,
					(long) assignments.count());
		}
		if (decision instanceof AssignmentDecision.Move) {
			counter("controller.sharding.movements", resource).increment();
		}
	}

	public void conflict(ShardedResource resource) {
		counter("controller.sharding.conflicts", resource).increment();
	}

	public void resynced(Duration duration, boolean complete) {
		this.registry
			.timer("controller.sharding.resync", "controllerring", this.ring, "result",
					complete ? "success" : "failure")
			.record(duration);
	}

	private Counter counter(String name, ShardedResource resource) {
		return this.registry.counter(name, Tags.of("controllerring", this.ring, "group", resource.type().group(),
				"resource", resource.type().plural()));
	}

}
