package dev.sharding.autoconfigure;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

import dev.sharding.kubernetes.RuntimePhase;
import dev.sharding.kubernetes.Shard;
import dev.sharding.kubernetes.reconcile.Move;
import dev.sharding.kubernetes.reconcile.MoveListener;

/**
 * The meters of one shard that no part of it has.
 */
final class ShardMetrics implements MoveListener {

	private final MeterRegistry registry;

	private final String ring;

	ShardMetrics(MeterRegistry registry, Shard shard) {
		this.registry = registry;
		this.ring = shard.ring();
		Gauge.builder("sharding.shard.running", () -> (shard.phase() == RuntimePhase.RUNNING) ? 1 : 0)
			.description("1 while the shard holds its Lease and reconciles")
			.tag("ring", this.ring)
			.tag("shard", shard.name())
			.register(registry);
		Gauge.builder("sharding.drains.pending", () -> shard.moves().drains().size())
			.description("Objects that the sharder wants back and that are not let go yet")
			.tag("ring", this.ring)
			.register(registry);
	}

	@Override
	public void moved(Move move) {
		Timer.builder("sharding.moves")
			.description("Objects that were drained or taken over, and how long that took")
			.tag("ring", this.ring)
			.tag("resource", move.resource().toString())
			.tag("kind", (move.kind() == Move.Kind.DRAINED) ? "drained" : "taken_over")
			.register(this.registry)
			.record(move.took());
	}

}
