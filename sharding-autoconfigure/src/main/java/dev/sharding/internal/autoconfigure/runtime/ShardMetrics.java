package dev.sharding.internal.autoconfigure.runtime;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

import dev.sharding.internal.kubernetes.reconcile.Move;
import dev.sharding.internal.kubernetes.reconcile.MoveListener;
import dev.sharding.shard.RuntimeListener;
import dev.sharding.shard.RuntimePhase;
import dev.sharding.shard.Shard;

/**
 * The meters of one shard that no part of it has.
 */
final class ShardMetrics implements MoveListener, RuntimeListener {

	private final MeterRegistry registry;

	private final String ring;

	private final Shard shard;

	private final Set<String> names = ConcurrentHashMap.newKeySet();

	ShardMetrics(MeterRegistry registry, Shard shard) {
		this.registry = registry;
		this.ring = shard.ring();
		this.shard = shard;
		registerRunning();
		if (shard.slots().isPresent()) {
			Gauge.builder("sharding.shard.standby", () -> (shard.phase() == RuntimePhase.STANDBY) ? 1 : 0)
				.description("1 while the process stands by for a slot")
				.tag("ring", this.ring)
				.register(registry);
		}
		Gauge.builder("sharding.drains.pending", () -> shard.moves().drains().size())
			.description("Objects that the sharder wants back and that are not let go yet")
			.tag("ring", this.ring)
			.register(registry);
	}

	/** With slots, the name is another one in each term. */
	@Override
	public void changed(RuntimePhase phase, String reason) {
		registerRunning();
	}

	private void registerRunning() {
		String name = this.shard.name();
		if (!name.isEmpty() && this.names.add(name)) {
			Gauge
				.builder("sharding.shard.running",
						() -> (this.shard.phase() == RuntimePhase.RUNNING && name.equals(this.shard.name())) ? 1 : 0)
				.description("1 while the shard holds its Lease and reconciles")
				.tag("ring", this.ring)
				.tag("shard", name)
				.register(this.registry);
		}
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
