package dev.sharding.internal.core.slot;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import dev.sharding.internal.core.fence.FenceDecision;
import dev.sharding.internal.core.fence.LeaseGate;
import dev.sharding.internal.core.lease.LeaseRecord;
import dev.sharding.internal.core.lease.LeaseTimes;
import dev.sharding.internal.core.lease.Moment;
import dev.sharding.internal.core.slot.SlotWorld.Accidents;
import dev.sharding.internal.core.slot.SlotWorld.Flight;
import dev.sharding.internal.core.slot.SlotWorld.Phase;
import dev.sharding.internal.core.slot.SlotWorld.Shard;
import org.jspecify.annotations.Nullable;

/**
 * What may happen next in a {@link SlotWorld}: everybody may take one step, or none for
 * as long as it likes, which is how processes are paused and watches lag. Each step is
 * what the laws say of what its actor has seen.
 */
final class SlotPlay {

	private final boolean calm;

	private static final int LAST_TICK = 5;

	private final SlotScene scene;

	private final SlotFault fault;

	private final SharderPlay sharder;

	SlotPlay(SlotScene scene, SlotFault fault, boolean calm) {
		this.calm = calm;
		this.scene = scene;
		this.fault = fault;
		this.sharder = new SharderPlay(scene, fault);
	}

	/** All worlds that may be next. */
	List<Step> next(SlotWorld world) {
		List<Step> steps = new ArrayList<>();
		for (Shard shard : world.shards()) {
			switch (shard.phase()) {
				case STANDBY -> {
					look(world, shard, steps);
					take(world, shard, steps);
				}
				case HELD, ACTIVE -> holds(world, shard, steps);
				case ENDED -> {
				}
			}
		}
		world.flights().forEach((flight) -> arrives(world, flight, steps));
		this.sharder.steps(world, steps);
		edits(world, steps);
		if (this.calm || world.now() < LAST_TICK) {
			steps.add(new Step("time passes", world.later()));
		}
		if (!this.scene.lags()) {
			steps.replaceAll((step) -> new Step(step.name(), this.sharder.prompt(step.world()), step.wrong()));
		}
		return steps;
	}

	private void look(SlotWorld world, Shard shard, List<Step> steps) {
		Boolean labelled = !world.moved();
		// What c sees before b has had the Lease is forgotten when b has it.
		boolean early = shard.id().equals("c") && world.shard("b").renewed() == null;
		if (early || (shard.fresh() && labelled.equals(shard.view().labelled()))) {
			return;
		}
		SlotLease lease = world.lease();
		Moment now = SlotScene.at(world.now());
		SlotView view = (lease != null) ? shard.view().seen(lease, LeaseTimes.LONGEST, now) : shard.view().gone(now);
		steps.add(new Step(shard.id() + " looks", world.with(shard.seeing(view.labelled(labelled)))));
	}

	private void take(SlotWorld world, Shard shard, List<Step> steps) {
		Moment now = this.scene.at(shard, world.now());
		boolean honoured = world.sharder().make() != SlotWorld.Make.GO || this.fault == SlotFault.TRUSTS_ANY_SHARDER;
		SlotDecision decision = SlotChoice.of(this.scene.standby(shard, honoured), List.of(shard.view()), now);
		if (!(decision instanceof SlotDecision.Take) && !(decision instanceof SlotDecision.Create)) {
			return;
		}
		// Who of the two candidates takes it first makes no difference: call it b.
		if (shard.id().equals("c") && world.shard("b").renewed() == null) {
			return;
		}
		if (!shard.fresh() && this.fault != SlotFault.TAKES_BLINDLY) {
			return;
		}
		SlotLease seen = shard.view().present();
		SlotHolder holder = this.scene.holder(shard.id());
		SlotLease written = (seen != null) ? SlotWrites.takeOver(seen, holder, SlotScene.RING, now.wall())
				: SlotWrites.create(holder, SlotScene.RING, Boolean.TRUE.equals(shard.view().labelled()), now.wall());
		SlotWorld taken = world.written(written);
		SlotLease stored = taken.lease();
		if (stored == null) {
			return;
		}
		steps.add(new Step(shard.id() + " takes the Lease", taken.with(shard.holding(stored, now, true))));
		if (world.left().lostAnswers() > 0) {
			steps.add(new Step(shard.id() + " takes the Lease, and the answer is lost",
					taken.with(shard.at(now)).with(without(world.left(), 1, 0, 0))));
		}
	}

	private void holds(SlotWorld world, Shard shard, List<Step> steps) {
		Moment now = this.scene.at(shard, world.now());
		if (shard.phase() == Phase.HELD) {
			starts(world, shard, now, steps);
		}
		else if (mayWrite(shard, now) && !world.moved() && !hasFlight(world, shard)) {
			steps.add(new Step(shard.id() + " sends a write", world.sent(new Flight(shard.id(), true))));
		}
		SlotLease mine = shard.mine();
		if (!shard.fresh() || mine == null) {
			findsOut(world, shard, steps);
			return;
		}
		TermProgress progress = progress(shard, now);
		SlotLease renewed = SlotWrites.renew(mine, this.scene.holder(shard.id()), SlotScene.RING, progress, now.wall());
		boolean again = now.wall().equals(mine.record().renewTime())
				&& renewed.annotations().equals(mine.annotations());
		if (!again && world.left().renewals() > 0) {
			steps.add(new Step(shard.id() + " renews",
					world.written(renewed).with(shard.holding(renewed, now, false)).with(renewing(world.left()))));
		}
		if (!isOpen(shard, now)) {
			// It has found that its term is over, and nobody has the Lease since.
			SlotLease anew = SlotWrites.takeOver(mine, this.scene.holder(shard.id()), SlotScene.RING, now.wall());
			steps.add(new Step(shard.id() + " takes its own Lease anew",
					world.written(anew).with(shard.holding(anew, now, true))));
		}
		boolean answered = !hasFlight(world, shard) || this.fault == SlotFault.FORGETS_LOST_ANSWERS
				|| (this.fault == SlotFault.FORGETS_FORMER_TERMS && shard.phase() == Phase.HELD);
		// A write without an answer may be of any age here: that one Lease has passed
		// helps
		// only what is not played, writes that name no version.
		TermEnd end = TermEnd.of(true, answered ? null : SlotScene.LEASE, SlotScene.LEASE);
		TermProgress told = (this.fault == SlotFault.SAYS_THAT_IT_TOUCHED)
				? new TermProgress(true, progress.served(), true) : progress;
		SlotLease back = (end == TermEnd.GIVE_BACK) ? SlotWrites.giveBack(mine, told, now.wall())
				: SlotWrites.giveBackToTouch(mine, told, now.wall());
		Shard ended = (this.fault == SlotFault.GIVES_BACK_WHILE_IT_ACTS) ? shard : shard.in(Phase.ENDED, null);
		steps.add(new Step(shard.id() + " gives the Lease back" + (answered ? "" : ", a write without an answer"),
				world.written(back).with(ended)));
	}

	private void starts(SlotWorld world, Shard shard, Moment now, List<Step> steps) {
		SlotLease mine = shard.mine();
		if (mine == null || world.moved() || !mayWrite(shard, now)) {
			return;
		}
		if (mine.isTouchDue() && !shard.touched()) {
			steps.add(new Step(shard.id() + " touches the object", world.changed(false).with(shard.touching())));
			if (this.fault != SlotFault.ACTS_WITHOUT_TOUCH) {
				return;
			}
		}
		steps.add(new Step(shard.id() + " begins to act", world.actedBy(shard.id()).with(shard.in(Phase.ACTIVE, now))));
	}

	/* A renewal meets a conflict, and the Lease is read. */
	private void findsOut(SlotWorld world, Shard shard, List<Step> steps) {
		SlotLease lease = world.lease();
		boolean still = lease != null && this.scene.holder(shard.id()).identity().holds(lease.record());
		if (still && lease != null && world.left().renewals() == 0) {
			return;
		}
		if (still && lease != null) {
			Moment now = this.scene.at(shard, world.now());
			SlotLease renewed = SlotWrites.renew(lease, this.scene.holder(shard.id()), SlotScene.RING,
					progress(shard, now), now.wall());
			steps.add(new Step(shard.id() + " renews anew",
					world.written(renewed).with(shard.holding(renewed, now, false)).with(renewing(world.left()))));
		}
		else {
			steps.add(new Step(shard.id() + " finds out that it has lost the Lease",
					world.with(shard.seeing(LiveParts.UNSEEN)
						.with(false)
						.in(shard.id().equals("a") ? Phase.ENDED : Phase.STANDBY, null))));
		}
	}

	private void arrives(SlotWorld world, Flight flight, List<Step> steps) {
		SlotWorld landed = world.arrived(flight);
		if (flight.by().startsWith("sharder")) {
			SlotWorld moved = flight.current() ? landed.changed(true).actedBy("other") : landed;
			steps.add(new Step("a move arrives", moved));
			return;
		}
		String what = "a write of " + flight.by() + (flight.current() ? " takes effect" : " is refused");
		boolean late = flight.current() && !flight.by().equals(world.acting());
		SlotWorld next = flight.current() ? landed.changed(false) : landed;
		steps.add(new Step(what, next,
				late ? "a write of " + flight.by() + " took effect after " + world.acting() + " had acted" : null));
	}

	private void edits(SlotWorld world, List<Step> steps) {
		SlotLease lease = world.lease();
		SlotLease copy = world.copy();
		if (lease == null && copy != null) {
			// Whoever has deleted it.
			SlotLease restored = new SlotLease(copy.record(), copy.ring(), null, copy.annotations());
			steps.add(new Step("somebody restores the Lease from a copy", world.written(restored)));
		}
		if (lease == null || world.left().edits() == 0) {
			return;
		}
		Accidents left = without(world.left(), 0, 1, 0);
		LeaseRecord is = lease.record();
		if (this.scene != SlotScene.EDITS) {
			steps.add(new Step("somebody deletes the Lease", world.written(null).with(left)));
		}
		if (this.scene == SlotScene.DELETES) {
			return;
		}
		if (!is.isReleased()) {
			steps.add(new Step("somebody takes the holder off",
					world.written(edited(lease, "", is.renewTime(), is.leaseDurationSeconds())).with(left)));
		}
		steps.add(new Step("somebody shortens the duration",
				world.written(edited(lease, is.holderIdentity(), is.renewTime(), 5)).with(left)));
		steps.add(new Step("somebody writes an old time of renewal",
				world
					.written(edited(lease, is.holderIdentity(), Instant.EPOCH.plusSeconds(world.now()),
							is.leaseDurationSeconds()))
					.with(left)));
	}

	private static SlotLease edited(SlotLease lease, @Nullable String holder, @Nullable Instant renewed,
			@Nullable Integer seconds) {
		LeaseRecord is = lease.record();
		Map<String, String> annotations = new HashMap<>(lease.annotations());
		return new SlotLease(new LeaseRecord(is.name(), holder, is.acquireTime(), renewed, seconds,
				is.leaseTransitions(), is.instanceId()), lease.ring(), lease.uid(), annotations);
	}

	private static TermProgress progress(Shard shard, Moment now) {
		boolean served = shard.since() != null && now.observedSince(shard.since()).compareTo(SlotScene.GRACE) >= 0;
		return new TermProgress(shard.touched(), served, false);
	}

	private boolean mayWrite(Shard shard, Moment now) {
		return this.fault == SlotFault.WRITES_WITHOUT_FENCE || isOpen(shard, now);
	}

	boolean isOpen(Shard shard, Moment now) {
		return shard.renewed() != null && LeaseGate.judge(shard.renewed(),
				this.scene.holder(shard.id()).leaseDuration(), now) instanceof FenceDecision.Allowed;
	}

	private static boolean hasFlight(SlotWorld world, Shard shard) {
		return world.flights().stream().anyMatch((flight) -> flight.by().equals(shard.id()));
	}

	static Accidents without(Accidents left, int lost, int edits, int leaders) {
		return new Accidents(left.renewals(), left.lostAnswers() - lost, left.edits() - edits,
				left.leaders() - leaders);
	}

	private Accidents renewing(Accidents left) {
		return this.calm ? left : new Accidents(left.renewals() - 1, left.lostAnswers(), left.edits(), left.leaders());
	}

	/** What is wrong with a world, {@code null} if nothing is. */
	@Nullable String wrong(SlotWorld world) {
		List<String> acting = world.shards()
			.stream()
			.filter((shard) -> shard.phase() == Phase.ACTIVE && isOpen(shard, this.scene.at(shard, world.now())))
			.map(Shard::id)
			.toList();
		if (acting.size() > 1) {
			return "two owners: " + acting;
		}
		return (world.moved() && !acting.isEmpty()) ? "another shard has what " + acting + " acts for" : null;
	}

	/**
	 * One step.
	 *
	 * @param wrong what is wrong with the step itself, {@code null} if nothing is
	 */
	record Step(String name, SlotWorld world, @Nullable String wrong) {

		Step(String name, SlotWorld world) {
			this(name, world, null);
		}

	}

}
