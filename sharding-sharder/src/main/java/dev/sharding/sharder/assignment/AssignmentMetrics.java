package dev.sharding.sharder.assignment;

import java.util.concurrent.atomic.AtomicInteger;

import dev.sharding.core.assignment.AssignmentDecision;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;

/**
 * Counts what the sharder does to objects, under the names of protocol section 7.1 (a
 * Prometheus registry turns the dots into underscores and appends {@code _total}). An
 * object that gets a shard counts as an assignment; if it had another shard before, as a
 * movement as well.
 */
public final class AssignmentMetrics {

	private final MeterRegistry registry;

	private final String ring;

	private final AtomicInteger stuckDrains;

	private final AtomicInteger stuckHandOvers;

	/**
	 * Creates the metrics of a ring.
	 * @param registry where the counters live
	 * @param ring the name of the ring
	 */
	public AssignmentMetrics(MeterRegistry registry, String ring) {
		this.registry = registry;
		this.ring = ring;
		this.stuckDrains = gauge("controller.sharding.drains.stuck");
		this.stuckHandOvers = gauge("controller.sharding.handovers.stuck");
	}

	private AtomicInteger gauge(String name) {
		AtomicInteger value = new AtomicInteger();
		// An earlier sharder of this process may have left one.
		this.registry.find(name).tag("controllerring", this.ring).gauges().forEach(this.registry::remove);
		Gauge.builder(name, value, AtomicInteger::get)
			.tag("controllerring", this.ring)
			.strongReference(true)
			.register(this.registry);
		return value;
	}

	void stuck(int drains, int handOvers) {
		this.stuckDrains.set(drains);
		this.stuckHandOvers.set(handOvers);
	}

	void ringCalculated() {
		this.registry.counter("controller.sharding.ring.calculations", "controllerring", this.ring).increment();
	}

	void patched(ShardedResource resource, AssignmentDecision decision) {
		if (decision instanceof AssignmentDecision.Drain) {
			counter("controller.sharding.drains", resource).increment();
			return;
		}
		counter("controller.sharding.assignments", resource).increment();
		if (decision instanceof AssignmentDecision.Move) {
			counter("controller.sharding.movements", resource).increment();
		}
	}

	void conflict(ShardedResource resource) {
		counter("controller.sharding.conflicts", resource).increment();
	}

	private Counter counter(String name, ShardedResource resource) {
		return this.registry.counter(name, Tags.of("controllerring", this.ring, "group", resource.type().group(),
				"resource", resource.type().plural()));
	}

}
