package dev.sharding.internal.core.slot;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import dev.sharding.internal.core.fence.FenceDecision;
import dev.sharding.internal.core.fence.LeaseGate;
import dev.sharding.internal.core.lease.LeaseObservation;
import dev.sharding.internal.core.lease.LeaseRecord;
import dev.sharding.internal.core.lease.LeaseTimes;
import dev.sharding.internal.core.lease.LeaseWrites;
import dev.sharding.internal.core.lease.Moment;
import dev.sharding.internal.core.lease.ShardClaim;
import dev.sharding.internal.core.lease.ShardLeaseDecision;
import dev.sharding.internal.core.lease.ShardState;
import dev.sharding.internal.core.slot.SlotPlay.Step;
import dev.sharding.internal.core.slot.SlotWorld.Claim;
import dev.sharding.internal.core.slot.SlotWorld.Flight;
import dev.sharding.internal.core.slot.SlotWorld.Make;
import dev.sharding.internal.core.slot.SlotWorld.Sharder;
import org.jspecify.annotations.Nullable;

/**
 * What the leading sharder does with the Lease and the object: ours, ours from before
 * there were slots, which knows no mark and leaves all annotations, and the one of the Go
 * project, which moves what a dead shard has without holding its Lease.
 */
final class SharderPlay {

	private static final Duration HOLD = Duration.ofSeconds(15);

	private static final Duration LONG = Duration.ofHours(1);

	private final SlotScene scene;

	private final SlotFault fault;

	SharderPlay(SlotScene scene, SlotFault fault) {
		this.scene = scene;
		this.fault = fault;
	}

	/** What a sharder sees whose watch does not lag. */
	SlotWorld prompt(SlotWorld world) {
		return world.sharder().fresh() ? world
				: world.with(looked(world.sharder(), world.lease(), world.deleted(), at(world)));
	}

	void steps(SlotWorld world, List<Step> steps) {
		Sharder sharder = world.sharder();
		if (!sharder.fresh()) {
			steps.add(new Step("the sharder looks",
					world.with(looked(sharder, world.lease(), world.deleted(), at(world)))));
		}
		acts(world, sharder, steps);
		SlotLease lease = world.lease();
		// Nothing of ours helps against a move of a Go sharder that is under way.
		boolean going = world.flights().contains(new Flight("sharder " + Make.GO, true));
		if (world.left().leaders() > 0 && lease != null && !going) {
			Make next = this.scene.next(sharder.make());
			steps.add(new Step("a sharder leads that is " + next, world.with(SlotScene.sharder(next, lease, at(world)))
				.with(SlotPlay.without(world.left(), 0, 0, 1))));
		}
	}

	/* A watch tells of a Lease that was deleted how it was last. */
	private static Sharder looked(Sharder sharder, @Nullable SlotLease lease, @Nullable SlotLease deleted, Moment now) {
		Claim before = sharder.claim();
		ShardClaim claim = (before != null) ? before.claim() : null;
		boolean another = lease == null || (sharder.lease() != null
				&& !String.valueOf(sharder.lease().uid()).equals(String.valueOf(lease.uid())));
		if (claim != null && another && sharder.lease() != null) {
			ShardClaim last = (deleted != null) ? claim.next(deleted.record(), false, LeaseTimes.LONGEST, now) : claim;
			claim = last.gone(LeaseTimes.LONGEST, now);
		}
		if (lease == null) {
			Claim gone = (claim != null && sharder.lease() != null) ? new Claim(claim,
					List.of("gone", (deleted != null) ? deleted.record() : sharder.lease().record()), now) : before;
			return new Sharder(sharder.make(), sharder.since(), null, true, null, gone, null, null);
		}
		LeaseRecord record = lease.record();
		boolean returned = another || sharder.lease() == null;
		LeaseObservation seen = (sharder.seen() != null) ? sharder.seen().next(record, now)
				: LeaseObservation.first(record, now);
		claim = (claim == null) ? ShardClaim.first(record, false, LeaseTimes.LONGEST, now)
				: returned ? claim.returned(record, false, LeaseTimes.LONGEST, now)
						: claim.next(record, false, LeaseTimes.LONGEST, now);
		GraceObservation grace = (sharder.grace() != null) ? sharder.grace().next(lease, now)
				: GraceObservation.first(lease, now);
		Moment hold = record.isHeldBySharder() ? sharder.hold() : null;
		return new Sharder(sharder.make(), sharder.since(), lease, true, seen, new Claim(claim, record, now), grace,
				hold);
	}

	private void acts(SlotWorld world, Sharder sharder, List<Step> steps) {
		Moment now = at(world);
		SlotLease lease = sharder.lease();
		if (lease == null || sharder.seen() == null) {
			makes(world, sharder, now, steps);
			return;
		}
		ShardState state = ShardState.of(lease.record(), now.wall());
		boolean leaves = !world.moved() && this.scene.hasOthers() && !state.isAvailable();
		if (sharder.make() == Make.GO) {
			if (leaves) {
				moves(world, steps);
			}
			else if (state == ShardState.UNCERTAIN) {
				writes(world, sharder, lease, LeaseWrites.take(lease.record(), now.wall()), now, steps);
			}
			return;
		}
		boolean waits = sharder.make() == Make.OURS && lease.isWaitedFor() && this.fault != SlotFault.KNOWS_NO_GRACE;
		if (waits && this.fault == SlotFault.MOVES_WITHOUT_LEASE) {
			moves(world, steps);
		}
		else if (sharder.hold() != null && isValid(sharder.hold(), now)) {
			holds(world, sharder, lease, leaves, now, steps);
		}
		else if (waits) {
			waitsFor(world, sharder, lease, now, steps);
		}
		else if (leaves) {
			if (untilOver(sharder, now).isZero()) {
				LeaseRecord write = lease.record().isHeldBySharder()
						? LeaseWrites.renew(lease.record(), HOLD, now.wall())
						: LeaseWrites.hold(lease.record(), HOLD, now.wall());
				writes(world, sharder, lease, write, now, steps);
			}
		}
		else if (state != ShardState.DEAD && state != ShardState.ORPHANED && ShardLeaseDecision.of(sharder.seen(),
				untilOver(sharder, now), LeaseTimes.LONGEST, sharder.since(), now) instanceof ShardLeaseDecision.Take) {
			writes(world, sharder, lease, LeaseWrites.take(lease.record(), now.wall()), now, steps);
		}
	}

	private void holds(SlotWorld world, Sharder sharder, SlotLease lease, boolean leaves, Moment now,
			List<Step> steps) {
		boolean moving = world.flights().stream().anyMatch((flight) -> flight.by().equals(name(world)));
		if (leaves && !moving) {
			moves(world, steps);
		}
		if (moving && !now.equals(sharder.hold())) {
			writes(world, sharder, lease, LeaseWrites.renew(lease.record(), HOLD, now.wall()), now, steps);
		}
		else if (!moving && !leaves) {
			writes(world, sharder, lease, LeaseWrites.release(lease.record(), now.wall()), now, steps);
		}
	}

	private void waitsFor(SlotWorld world, Sharder sharder, SlotLease lease, Moment now, List<Step> steps) {
		GraceObservation grace = (sharder.grace() != null) ? sharder.grace() : GraceObservation.first(lease, now);
		Duration others = this.scene.hasOthers() ? LONG : null;
		if (GraceDecision.of(lease, grace, others, now) instanceof GraceDecision.Take) {
			writes(world, sharder, lease, LeaseWrites.hold(lease.record(), HOLD, now.wall()), now, steps);
		}
	}

	private void makes(SlotWorld world, Sharder sharder, Moment now, List<Step> steps) {
		boolean leaves = !world.moved() && this.scene.hasOthers();
		if (!leaves || sharder.make() == Make.GO || !sharder.fresh() || !untilOver(sharder, now).isZero()) {
			return;
		}
		LeaseRecord empty = new LeaseRecord(SlotScene.SLOT, null, null, null, null, null, null);
		LeaseRecord held = LeaseWrites.hold(empty, HOLD, now.wall());
		SlotWorld made = world.written(new SlotLease(held, SlotScene.RING, null, Map.of()));
		steps.add(new Step("the sharder makes a Lease",
				made.with(looked(made.sharder(), made.lease(), null, now).holding(now))));
	}

	private void writes(SlotWorld world, Sharder sharder, SlotLease lease, LeaseRecord write, Moment now,
			List<Step> steps) {
		if (!sharder.fresh()) {
			return;
		}
		Map<String, String> annotations = (sharder.make() == Make.OURS) ? SlotWrites.unmarked(lease)
				: lease.annotations();
		SlotWorld written = world.written(new SlotLease(write, lease.ring(), lease.uid(), annotations));
		Moment hold = write.isHeldBySharder() ? now : null;
		steps.add(new Step("the sharder " + ((hold != null) ? "holds the Lease" : "gives the Lease back"),
				written.with(looked(sharder, written.lease(), null, now).holding(hold)), robs(sharder, lease, now)));
	}

	/* A sharder that knows slots leaves them for the whole grace, if others are there. */
	private @Nullable String robs(Sharder sharder, SlotLease lease, Moment now) {
		if (sharder.make() != Make.OURS || !lease.isWaitedFor()) {
			return null;
		}
		if (!this.scene.hasOthers()) {
			return "the sharder took a slot although nobody else could have its objects";
		}
		boolean early = this.scene.agreesOnTime() && lease.graceStart() != null
				&& Duration.between(lease.graceStart(), now.wall()).compareTo(SlotScene.GRACE) < 0;
		return early ? "the sharder took a slot within its grace" : null;
	}

	private static void moves(SlotWorld world, List<Step> steps) {
		Flight move = new Flight(name(world), true);
		if (!world.flights().contains(move)) {
			steps.add(new Step("the sharder sends a move", world.sent(move)));
		}
	}

	/* Those of former leaders may still be under way. */
	private static String name(SlotWorld world) {
		return "sharder " + world.sharder().make();
	}

	private static Duration untilOver(Sharder sharder, Moment now) {
		return (sharder.claim() != null) ? sharder.claim().claim().untilOver(true, SlotScene.LEASE, now) : LONG;
	}

	private static boolean isValid(Moment hold, Moment now) {
		return LeaseGate.judge(hold, HOLD, now) instanceof FenceDecision.Allowed;
	}

	private static Moment at(SlotWorld world) {
		return SlotScene.at(world.now());
	}

}
