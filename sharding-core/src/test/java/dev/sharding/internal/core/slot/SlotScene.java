package dev.sharding.internal.core.slot;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.sharding.internal.core.lease.LeaseObservation;
import dev.sharding.internal.core.lease.LeaseTimes;
import dev.sharding.internal.core.lease.Moment;
import dev.sharding.internal.core.lease.ShardClaim;
import dev.sharding.internal.core.lease.ShardIdentity;
import dev.sharding.internal.core.slot.SlotWorld.Accidents;
import dev.sharding.internal.core.slot.SlotWorld.Claim;
import dev.sharding.internal.core.slot.SlotWorld.Make;
import dev.sharding.internal.core.slot.SlotWorld.Phase;
import dev.sharding.internal.core.slot.SlotWorld.Shard;
import dev.sharding.internal.core.slot.SlotWorld.Sharder;
import dev.sharding.protocol.ShardingLabels;

/**
 * Where a play begins: shard {@code a} holds the slot and acts, {@code b} and {@code c}
 * stand by and have seen that.
 */
enum SlotScene {

	/** A roll-out in which answers about the Lease are lost. */
	ROLL_OUT(0, 15, true, Make.OURS, Make.OURS, new Accidents(2, 1, 0, 0)),

	/** A roll-out under two sharders, ours and an older one. */
	OLDER_SHARDER(0, 15, true, Make.OURS, Make.OLDER, new Accidents(2, 0, 0, 1)),

	/** A roll-out in which the watch of the sharder lags. */
	LAGGING_SHARDER(0, 15, true, Make.OURS, Make.OURS, new Accidents(2, 0, 0, 0)),

	/** Somebody deletes the Lease, and may restore it from a copy. */
	DELETES(0, 15, true, Make.OURS, Make.OURS, new Accidents(1, 0, 1, 0)),

	/** Somebody edits the Lease. */
	EDITS(0, 15, true, Make.OURS, Make.OURS, new Accidents(2, 0, 1, 0)),

	/** The clock of the holder is behind by a Lease. */
	CLOCK_BEHIND(-15, 15, true, Make.OURS, Make.OURS, new Accidents(2, 0, 0, 0)),

	/** The clock of the holder is ahead by a Lease. */
	CLOCK_AHEAD(15, 15, true, Make.OURS, Make.OURS, new Accidents(2, 0, 0, 0)),

	/** The holder writes twice the duration that the candidates write. */
	LONGER_LEASE(0, 30, true, Make.OURS, Make.OURS, new Accidents(2, 0, 1, 0)),

	/** There is nobody else in the ring to move the object to. */
	ALONE(0, 15, false, Make.OURS, Make.OLDER, new Accidents(2, 0, 0, 1)),

	/**
	 * An older sharder leads, and an older shard holds the Lease, with a mark of a term
	 * before: it was written by a clock that was ahead.
	 */
	LEFT_OVER_MARK(0, 15, false, Make.OLDER, Make.OLDER, new Accidents(2, 0, 0, 0)),

	/** The sharder of the Go project leads, and ours takes the lead. */
	GO(0, 15, true, Make.GO, Make.OURS, new Accidents(2, 0, 0, 1));

	static final Duration TICK = Duration.ofMillis(7_500);

	static final Duration LEASE = Duration.ofSeconds(15);

	static final Duration GRACE = Duration.ofSeconds(15);

	static final String RING = "ring";

	static final String SLOT = "ring-abc-000";

	/** The mark that was left over names this moment. */
	private static final int MARKED = 5;

	private final Duration skew;

	private final Duration holderLease;

	private final boolean others;

	private final Make first;

	private final Make second;

	private final Accidents accidents;

	SlotScene(int skew, int holderLease, boolean others, Make first, Make second, Accidents accidents) {
		this.skew = Duration.ofSeconds(skew);
		this.holderLease = Duration.ofSeconds(holderLease);
		this.others = others;
		this.first = first;
		this.second = second;
		this.accidents = accidents;
	}

	/** Whether the sharder may see late what has become of the Lease. */
	boolean lags() {
		return this == LAGGING_SHARDER;
	}

	/** Whether another shard is available. */
	boolean hasOthers() {
		return this.others;
	}

	/** Who leads when the leader changes. */
	Make next(Make leader) {
		return (leader == this.first) ? this.second : this.first;
	}

	/** Whether the grace is measured with clocks that agree. */
	boolean agreesOnTime() {
		return this.skew.isZero();
	}

	/** The clocks of everybody but the holder. */
	static Moment at(int tick) {
		// multipliedBy() takes a tenth of the time of all plays.
		Duration passed = Duration.ofNanos(TICK.toNanos() * tick);
		return new Moment(Slots.NOW.plus(passed), passed.toNanos());
	}

	Moment at(Shard shard, int tick) {
		Moment now = at(tick);
		return shard.id().equals("a") ? new Moment(now.wall().plus(this.skew), now.nanos()) : now;
	}

	SlotHolder holder(String id) {
		return new SlotHolder(new ShardIdentity(SLOT, id), id.equals("a") ? this.holderLease : LEASE, GRACE, 1, null);
	}

	Standby standby(Shard shard, boolean honoured) {
		return new Standby(RING, shard.id(), LEASE, Duration.ZERO, null, at(0), at(0), honoured, Set.of());
	}

	SlotWorld begin() {
		Moment now = at(0);
		SlotLease made = SlotWrites.create(holder("a"), RING, false, now.wall().plus(this.skew));
		Map<String, String> annotations = new HashMap<>(made.annotations());
		annotations.remove(ShardingLabels.GRACE_START);
		SlotLease lease = new SlotLease(made.record(), RING, "uid-1", annotations);
		if (this == LEFT_OVER_MARK) {
			annotations.put(ShardingLabels.GIVEN_BACK, "0/" + at(MARKED).wall() + "/uid-1");
			lease = new SlotLease(made.record(), RING, "uid-1", annotations);
		}
		Shard a = new Shard("a", Phase.ACTIVE, SlotView.absent(now), lease, true, now, now, false);
		SlotView seen = SlotView.absent(now).seen(lease, LeaseTimes.LONGEST, now).labelled(true);
		Shard b = new Shard("b", Phase.STANDBY, seen, null, true, null, null, false);
		Shard c = new Shard("c", Phase.STANDBY, seen, null, true, null, null, false);
		return new SlotWorld(0, lease, 1, null, null, false, "a", List.of(a, b, c), Set.of(),
				sharder(this.first, lease, now), this.accidents);
	}

	/** A leader whose term begins with a look at the Lease. */
	static Sharder sharder(Make make, SlotLease lease, Moment now) {
		ShardClaim claim = ShardClaim.first(lease.record(), false, LeaseTimes.LONGEST, now);
		return new Sharder(make, now, lease, true, LeaseObservation.first(lease.record(), now),
				new Claim(claim, lease.record(), now), GraceObservation.first(lease, now), null);
	}

}
