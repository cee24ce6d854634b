package dev.sharding.internal.core.assignment;

import java.util.Map;
import java.util.Objects;

import dev.sharding.internal.core.assignment.DrainPlay.Step;
import dev.sharding.internal.core.assignment.DrainWorld.Shard;
import dev.sharding.internal.core.assignment.DrainWorld.Thing;
import dev.sharding.internal.core.assignment.Flight.What;
import dev.sharding.protocol.ShardingLabels;
import org.jspecify.annotations.Nullable;

/**
 * A request arrives: the API server carries it out if it names the present version, and
 * whoever waits gets the answer.
 */
final class DrainArrival {

	private final DrainShard shard;

	private final DrainSharder sharder;

	private final DrainFault fault;

	DrainArrival(DrainShard shard, DrainSharder sharder, DrainFault fault) {
		this.shard = shard;
		this.sharder = sharder;
		this.fault = fault;
	}

	Step of(DrainWorld world, Flight flight) {
		Thing target = flight.what().ofMain() ? world.main() : world.child();
		boolean blind = flight.what() == What.ACKNOWLEDGE && this.fault == DrainFault.LETS_GO_BLINDLY;
		boolean accepted = (flight.what() == What.CREATE_CHILD) ? target == null
				: target != null && (blind || target.version() == flight.version());
		String name = "%s of %s %s".formatted(flight.what(), flight.by(), accepted ? "arrives" : "is refused");
		DrainWorld landed = world.landed(flight);
		if (!accepted) {
			return new Step(name, flight.awaited() ? refused(landed, flight) : landed);
		}
		Thing changed = changed(target, flight);
		DrainWorld next = flight.what().ofMain() ? landed.withMain(changed)
				: landed.withChild(changed, flight.what() != What.GIVE_CHILD);
		return new Step(name, flight.awaited() ? answered(next, flight, changed) : next, wrong(world, flight, target));
	}

	private static Thing changed(@Nullable Thing target, Flight flight) {
		if (target == null) {
			return new Thing(0, flight.to(), false);
		}
		String version = String.valueOf(target.version());
		return switch (flight.what()) {
			case WRITE_MAIN, WRITE_CHILD, CREATE_CHILD -> target.changed();
			case ACKNOWLEDGE -> patched(target, LabelPatch.acknowledgeDrain(DrainScene.RING, version));
			case DRAIN -> patched(target, LabelPatch.drain(DrainScene.RING, version));
			case GIVE_MAIN, GIVE_CHILD ->
				patched(target, LabelPatch.assign(DrainScene.RING, Objects.requireNonNull(flight.to()), version));
		};
	}

	private static Thing patched(Thing target, LabelPatch patch) {
		Map<String, String> labels = DrainShard.labels(target);
		patch.labels().forEach((label, value) -> {
			if (value != null) {
				labels.put(label, value);
			}
			else {
				labels.remove(label);
			}
		});
		return new Thing(target.version() + 1, labels.get(ShardingLabels.shard(DrainScene.RING)),
				labels.containsKey(ShardingLabels.drain(DrainScene.RING)));
	}

	/* What a process has written is in its cache with the answer. */
	private DrainWorld answered(DrainWorld world, Flight flight, Thing changed) {
		if (flight.isOfSharder()) {
			return world.with(this.sharder.answered(world.sharder(), flight, changed));
		}
		Shard by = world.shard(flight.by());
		Thing ours = DrainShard.ours(changed, by);
		return world.with(flight.what().ofMain() ? this.shard.seen(by, ours) : by.seeing(ours));
	}

	private DrainWorld refused(DrainWorld world, Flight flight) {
		return flight.isOfSharder() ? world.with(this.sharder.refused(world, flight)) : world;
	}

	private @Nullable String wrong(DrainWorld world, Flight flight, @Nullable Thing target) {
		boolean write = flight.what() == What.WRITE_MAIN || flight.what() == What.WRITE_CHILD
				|| flight.what() == What.CREATE_CHILD;
		if (write) {
			return flight.by().equals(world.lastBegan()) ? null
					: "a write of " + flight.by() + " took effect after " + world.lastBegan() + " had begun";
		}
		Thing child = world.child();
		if (flight.what() == What.GIVE_MAIN && child != null && !Objects.equals(flight.to(), child.shard())) {
			return flight.to() + " gets the main object, and what it controls is with " + child.shard();
		}
		String from = (target != null) ? target.shard() : null;
		if (from == null || flight.what() == What.DRAIN) {
			return null;
		}
		if (flight.what() == What.ACKNOWLEDGE) {
			return world.shard(flight.by()).name().equals(from) ? null
					: flight.by() + " let go of what " + from + " has";
		}
		return world.shards()
			.stream()
			.filter((one) -> one.name().equals(from) && this.shard.mayWrite(world, one))
			.findFirst()
			.map((one) -> flight.what() + ": it was taken from " + one.id() + ", which is at work")
			.orElse(null);
	}

}
