package dev.sharding.internal.sharder.assignment.metadata;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

import dev.sharding.internal.core.assignment.AssignmentDecision;
import dev.sharding.internal.sharder.ring.RingReport.Progress;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts what the sharder does to objects, under the names of protocol section 7.1 (a
 * Prometheus registry turns the dots into underscores and appends {@code _total}). An
 * object that gets a shard counts as an assignment; if it had another shard before, as a
 * movement as well. The log tells of each ten thousandth assignment. Whoever asks for it
 * is told of each ten thousandth object that was given to a shard or lost its labels.
 */
public final class AssignmentMetrics {

	private static final Logger log = LoggerFactory.getLogger(AssignmentMetrics.class);

	private static final int TOLD_EVERY = 10_000;

	private final MeterRegistry registry;

	private final String ring;

	private final AtomicLong given = new AtomicLong();

	private final AtomicLong freed = new AtomicLong();

	private volatile Runnable onProgress = () -> {
	};

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

	/**
	 * Says whom to tell that much has been done since, instead of whoever was told so
	 * far.
	 * @param told called now and then, by any thread, which it must not hold up
	 */
	public void onProgress(Runnable told) {
		this.onProgress = told;
	}

	/**
	 * Returns how much has been done by the sharder that serves the ring.
	 * @return whole tens of thousands of objects
	 */
	public Progress progress() {
		return new Progress(told(this.given), told(this.freed));
	}

	private static long told(AtomicLong count) {
		return count.get() / TOLD_EVERY * TOLD_EVERY;
	}

	private void count(AtomicLong count) {
		if (count.incrementAndGet() % TOLD_EVERY == 0) {
			this.onProgress.run();
		}
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
		count(this.given);
		// Two at a time may step over the number, and nobody misses a line.
		if (assignments.count() % TOLD_EVERY == 0) {
			log.info("Objects have been given to shards ring={} resource={} sinceStart={}", this.ring, resource,
					(long) assignments.count());
		}
		if (decision instanceof AssignmentDecision.Move) {
			counter("controller.sharding.movements", resource).increment();
		}
	}

	/** The labels of the ring are off an object that is not the ring's any more. */
	public void freed(ShardedResource resource) {
		counter("controller.sharding.cleanups", resource).increment();
		count(this.freed);
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
