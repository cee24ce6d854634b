package dev.sharding.internal.core.slot;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import dev.sharding.internal.core.fence.FenceDecision;
import dev.sharding.internal.core.fence.LeaseGate;
import dev.sharding.internal.core.lease.Moment;
import dev.sharding.internal.core.slot.SlotWorld.Flight;
import dev.sharding.internal.core.slot.SlotWorld.Make;
import dev.sharding.internal.core.slot.SlotWorld.Phase;
import dev.sharding.internal.core.slot.SlotWorld.Shard;
import dev.sharding.internal.core.slot.SlotWorld.Sharder;
import org.jspecify.annotations.Nullable;

/**
 * Takes out of a world what nobody will look at any more, so that worlds are equal that
 * go on alike.
 */
final class LiveParts {

	static final SlotView UNSEEN = SlotView.absent(SlotScene.at(0));

	private static final Moment LONG_AGO = SlotScene.at(-100);

	private final SlotScene scene;

	LiveParts(SlotScene scene) {
		this.scene = scene;
	}

	/**
	 * Takes out of a world what is dead.
	 * @param before the world before the last step, without what is dead; {@code null}
	 * for the first one
	 */
	SlotWorld of(SlotWorld world, @Nullable SlotWorld before) {
		SlotWorld same = (before != null && before.now() == world.now()) ? before : null;
		List<Shard> shards = new ArrayList<>();
		for (int i = 0; i < world.shards().size(); i++) {
			Shard shard = world.shards().get(i);
			shards.add((same != null && same.shards().get(i) == shard) ? shard : of(shard, world.now()));
		}
		// That a write is refused changes nothing for anybody but its sender, who waits.
		Set<Flight> flights = world.flights().stream().filter(Flight::current).collect(Collectors.toSet());
		boolean edits = world.left().edits() > 0 || world.lease() == null;
		return new SlotWorld(world.now(), world.lease(), world.uids(), world.sharder().fresh() ? null : world.deleted(),
				edits ? world.copy() : null, world.moved(),
				flights.isEmpty() && world.shards().stream().noneMatch(LiveParts::acts) ? "" : world.acting(), shards,
				flights,
				(before != null && before.sharder() == world.sharder()) ? world.sharder() : of(world.sharder()),
				world.left());
	}

	private static boolean acts(Shard shard) {
		return shard.phase() != Phase.ENDED;
	}

	private Shard of(Shard shard, int now) {
		return switch (shard.phase()) {
			case ENDED -> new Shard(shard.id(), Phase.ENDED, UNSEEN, null, false, LONG_AGO, null, false);
			case STANDBY -> new Shard(shard.id(), Phase.STANDBY, shard.view(), null, shard.fresh(),
					(shard.renewed() != null) ? LONG_AGO : null, null, false);
			case HELD, ACTIVE -> {
				boolean needed = shard.fresh() || shard.phase() == Phase.HELD;
				yield new Shard(shard.id(), shard.phase(), UNSEEN, needed ? shard.mine() : null, shard.fresh(),
						open(shard, now), served(shard, now), shard.touched());
			}
		};
	}

	private @Nullable Moment open(Shard shard, int now) {
		boolean open = shard.renewed() != null
				&& LeaseGate.judge(shard.renewed(), this.scene.holder(shard.id()).leaseDuration(),
						this.scene.at(shard, now)) instanceof FenceDecision.Allowed;
		return open ? shard.renewed() : LONG_AGO;
	}

	private @Nullable Moment served(Shard shard, int now) {
		Moment since = shard.since();
		boolean served = since != null && SlotScene.at(now).observedSince(since).compareTo(SlotScene.GRACE) >= 0;
		return served ? LONG_AGO : since;
	}

	private static Sharder of(Sharder sharder) {
		boolean ours = sharder.make() == Make.OURS;
		boolean go = sharder.make() == Make.GO;
		Moment since = (sharder.seen() == null || sharder.since().observedSince(sharder.seen().since()).isZero())
				? LONG_AGO : sharder.since();
		return new Sharder(sharder.make(), since, sharder.lease(), sharder.fresh(), sharder.seen(),
				go ? null : sharder.claim(), ours ? sharder.grace() : null, sharder.hold());
	}

}
