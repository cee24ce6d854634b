package dev.sharding.internal.core.assignment;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

import dev.sharding.internal.core.assignment.DrainPlay.Step;
import dev.sharding.internal.core.assignment.DrainWorld.Lease;
import dev.sharding.internal.core.assignment.DrainWorld.Phase;
import dev.sharding.internal.core.assignment.DrainWorld.Shard;
import dev.sharding.internal.core.assignment.DrainWorld.Thing;
import dev.sharding.internal.core.assignment.Flight.What;
import dev.sharding.internal.core.fence.ClaimLaw;
import dev.sharding.internal.core.fence.ClaimLaw.Claimed;
import dev.sharding.internal.core.fence.FenceDecision;
import dev.sharding.internal.core.fence.LeaseGate;
import dev.sharding.internal.core.lease.AcquisitionDecision;
import dev.sharding.internal.core.lease.LeaseObservation;
import dev.sharding.internal.core.lease.LeaseRecord;
import dev.sharding.internal.core.lease.LeaseWrites;
import dev.sharding.internal.core.lease.Moment;
import dev.sharding.protocol.Responsibility;
import dev.sharding.protocol.ShardingLabels;
import org.jspecify.annotations.Nullable;

/**
 * What a process of a shard may do: it looks, reconciles, writes, lets go, renews its
 * Lease, loses it and gets it back.
 */
final class DrainShard {

	private final DrainScene scene;

	private final DrainFault fault;

	DrainShard(DrainScene scene, DrainFault fault) {
		this.scene = scene;
		this.fault = fault;
	}

	void steps(DrainWorld world, Shard shard, List<Step> steps) {
		if (shard.phase() == Phase.OUT) {
			return;
		}
		looks(world, shard, steps);
		if (shard.working() && !world.awaits(shard.id())) {
			steps.add(new Step(shard.id() + " ends its reconcile", world.with(shard.working(false))));
		}
		if (shard.phase() == Phase.ACTIVE) {
			works(world, shard, steps);
			lease(world, shard, steps);
		}
		else {
			acquires(world, shard, steps);
		}
	}

	private void looks(DrainWorld world, Shard shard, List<Step> steps) {
		Thing main = ours(world.main(), shard);
		if (!Objects.equals(main, shard.main())) {
			// If another has begun since, the object went, and came again.
			boolean away = main != null && !shard.id().equals(world.lastBegan());
			Shard before = away ? seen(shard, null) : shard;
			steps.add(new Step(shard.id() + " sees the main object", world.with(seen(before, main))));
		}
		Thing child = ours(world.child(), shard);
		if (!Objects.equals(child, shard.child())) {
			steps.add(new Step(shard.id() + " sees what it controls", world.with(shard.seeing(child))));
		}
		if (shard.phase() == Phase.ACTIVE && !shard.refreshed()) {
			Shard fresh = seen(shard, main).seeing(child);
			steps.add(new Step(shard.id() + " refreshes all", world.with(fresh.ready(true, fresh.touched(), true))));
		}
		else if (shard.main() != null && !shard.settled()) {
			steps.add(new Step(shard.id() + " refreshes for the object that came",
					world.with(shard.seeing(child).ready(shard.refreshed(), shard.touched(), true))));
		}
	}

	/** What a cache makes of a main object in the version that it gets. */
	Shard seen(Shard shard, @Nullable Thing main) {
		Shard next = shard.with(main, shard.child(), shard.letGo());
		if (main == null) {
			return next.claiming(false, null);
		}
		if (shard.main() == null) {
			next = next.ready(next.refreshed(), next.touched(), false);
		}
		Integer given = next.letGo();
		return (given != null && ClaimLaw.isSince(String.valueOf(main.version()), String.valueOf(given)))
				? next.claiming(next.claimed(), null) : next;
	}

	static @Nullable Thing ours(@Nullable Thing thing, Shard shard) {
		return (thing != null && shard.name().equals(thing.shard())) ? thing : null;
	}

	private void works(DrainWorld world, Shard shard, List<Step> steps) {
		Thing main = shard.main();
		if (!shard.touched() && shard.refreshed() && isOpen(world, shard)) {
			steps.add(new Step(shard.id() + " touches what it has", touched(world, shard)));
		}
		boolean ready = shard.refreshed() && (shard.touched() || this.fault == DrainFault.ACTS_WITHOUT_TOUCH);
		if (main == null || !ready) {
			return;
		}
		Responsibility due = Responsibility.of(labels(main), DrainScene.RING, shard.name());
		if (due == Responsibility.RECONCILE && !shard.working() && isOpen(world, shard)) {
			begins(world, shard, main, steps);
		}
		if (shard.working() && !world.awaits(shard.id()) && mayWrite(world, shard)) {
			writes(world, shard, main, steps);
		}
		boolean idle = !shard.working() && !world.awaits(shard.id());
		if (due == Responsibility.ACKNOWLEDGE_DRAIN && isOpen(world, shard)
				&& (idle || this.fault == DrainFault.LETS_GO_AT_WORK)) {
			Shard given = shard.claiming(false, main.version());
			steps.add(new Step(shard.id() + " lets go",
					world.with(given).sent(DrainPlay.flight(shard.id(), What.ACKNOWLEDGE, main.version(), null))));
		}
	}

	private void begins(DrainWorld world, Shard shard, Thing main, List<Step> steps) {
		boolean known = shard.settled() || this.fault == DrainFault.BEGINS_WITHOUT_REFRESH;
		String given = (shard.letGo() != null) ? String.valueOf(shard.letGo()) : null;
		if (!known || !ClaimLaw.begins(true, String.valueOf(main.version()), given)) {
			return;
		}
		steps.add(new Step(shard.id() + " begins a reconcile",
				world.with(shard.claiming(true, shard.letGo()).working(true)).begunBy(shard.id()),
				misses(world, shard)));
	}

	/*
	 * What the former owner made must be there, and seen. What the same process has
	 * written is the business of its overlay.
	 */
	private @Nullable String misses(DrainWorld world, Shard shard) {
		Thing child = world.child();
		boolean back = shard.name().equals("a") && this.scene.lastTick() > 0
				&& this.fault != DrainFault.COMES_BACK_HALFWAY;
		if (child != null && !shard.name().equals(child.shard()) && !back) {
			return "what is controlled is with " + child.shard();
		}
		if (child == null || shard.id().equals(world.lastBegan())) {
			return null;
		}
		return (shard.child() == null || shard.child().version() < world.lastWrite())
				? "the cache lacks what was made before" : null;
	}

	private void writes(DrainWorld world, Shard shard, Thing main, List<Step> steps) {
		Thing child = shard.child();
		if (child != null) {
			steps.add(new Step(shard.id() + " writes what it controls",
					world.sent(DrainPlay.flight(shard.id(), What.WRITE_CHILD, child.version(), null))));
		}
		else if (this.scene.creates()) {
			steps.add(new Step(shard.id() + " makes what it controls",
					world.sent(DrainPlay.flight(shard.id(), What.CREATE_CHILD, 0, shard.name()))));
		}
		steps.add(new Step(shard.id() + " writes the main object",
				world.sent(DrainPlay.flight(shard.id(), What.WRITE_MAIN, main.version(), null))));
	}

	private static DrainWorld touched(DrainWorld world, Shard shard) {
		DrainWorld next = (ours(world.main(), shard) != null) ? world.withMain(world.main().changed()) : world;
		Thing child = ours(world.child(), shard);
		next = (child != null) ? next.withChild(child.changed(), false) : next;
		next = next.touched(shard.name());
		Shard fresh = shard.with(ours(next.main(), shard), ours(next.child(), shard), shard.letGo());
		return next.with(fresh.ready(true, true, true));
	}

	private void lease(DrainWorld world, Shard shard, List<Step> steps) {
		Lease lease = world.lease(shard.name());
		Moment now = DrainScene.at(world.now());
		Accidents left = world.left();
		if (lease.number() != shard.number() || !isOpen(world, shard)) {
			steps.add(new Step(shard.id() + " finds out that its term is over",
					world.with(shard.in(Phase.STANDBY, 0, 0, true))));
		}
		else if (left.renewals() > 0 && world.now() > shard.renewed()) {
			DrainWorld renewed = world.written(LeaseWrites.renew(lease.record(), DrainScene.LEASE, now.wall()));
			steps.add(new Step(shard.id() + " renews",
					renewed.with(shard.renewing(renewed.lease(shard.name()).number(), world.now()))
						.with(left.afterRenewal())));
		}
	}

	private void acquires(DrainWorld world, Shard shard, List<Step> steps) {
		Lease lease = world.lease(shard.name());
		Moment now = DrainScene.at(world.now());
		LeaseRecord record = lease.record();
		LeaseObservation seen = new LeaseObservation(record, DrainScene.at(lease.changed()), false);
		if (!(AcquisitionDecision.of(DrainScene.identity(shard), DrainScene.LEASE, seen,
				now) instanceof AcquisitionDecision.TakeOver)) {
			return;
		}
		// Somebody else has had it, of whom something may be under way: as SlotWrites has
		// it.
		boolean due = lease.touchDue() || !DrainScene.identity(shard).holds(record);
		DrainWorld taken = world
			.written(LeaseWrites.takeOver(record, DrainScene.identity(shard), DrainScene.LEASE, now.wall()), due);
		steps.add(new Step(shard.id() + " takes the Lease",
				taken.with(shard.in(Phase.ACTIVE, taken.lease(shard.name()).number(), world.now(), !due))));
	}

	/** Whether a process may write what it reconciles. */
	boolean mayWrite(DrainWorld world, Shard shard) {
		Claimed claim = shard.claimed() ? Claimed.LIVE : Claimed.NONE;
		return shard.phase() == Phase.ACTIVE && isOpen(world, shard)
				&& ClaimLaw.judge(claim, List.of(claim), false) instanceof FenceDecision.Allowed;
	}

	private boolean isOpen(DrainWorld world, Shard shard) {
		return this.fault == DrainFault.WRITES_WITHOUT_FENCE || LeaseGate.judge(DrainScene.at(shard.renewed()),
				DrainScene.LEASE, DrainScene.at(world.now())) instanceof FenceDecision.Allowed;
	}

	/** The labels of an object. */
	static Map<String, String> labels(Thing thing) {
		Map<String, String> labels = new TreeMap<>();
		if (thing.shard() != null) {
			labels.put(ShardingLabels.shard(DrainScene.RING), thing.shard());
		}
		if (thing.drain()) {
			labels.put(ShardingLabels.drain(DrainScene.RING), ShardingLabels.DRAIN_REQUESTED);
		}
		return labels;
	}

}
