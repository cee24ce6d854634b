package dev.sharding.internal.core.slot;

import java.time.Instant;
import java.util.Collection;

import dev.sharding.internal.core.lease.ShardState;
import org.jspecify.annotations.Nullable;

/**
 * What a Lease makes of its shard in the ring. It follows from the Leases of the ring
 * alone, and changes only when one of them does.
 */
public enum Seat {

	/** The shard owns nothing: what bears its label moves. */
	NONE,

	/** The shard owns what it has and gets what belongs to it. */
	AVAILABLE,

	/** The shard came lately: it owns what it has, and nothing belongs to it yet. */
	SETTLING,

	/** The shard has no holder for now: what it has and what belongs to it waits. */
	GIVEN_BACK;

	/**
	 * Returns the seat of a Lease.
	 * @param lease what it says
	 * @param state the state of its shard
	 * @param settledThrough what {@link #settledThrough} says of the ring; {@code null}
	 * if nobody settles
	 * @return the seat
	 */
	public static Seat of(SlotLease lease, ShardState state, @Nullable Instant settledThrough) {
		if (lease.isWaitedFor()) {
			return GIVEN_BACK;
		}
		if (!state.isAvailable()) {
			return NONE;
		}
		Instant acquired = lease.record().acquireTime();
		boolean settled = settledThrough == null || lease.settled() != null
				|| (acquired != null && !acquired.isAfter(settledThrough));
		return settled ? AVAILABLE : SETTLING;
	}

	/**
	 * Returns when the ring was made that the present members came in with: whoever had
	 * its Lease by then has settled with it, although not all marks may be written yet.
	 * @param members the Leases of the ring whose shards are available or waited for
	 * @return the latest mark, {@code null} if there is none: then all count
	 */
	public static @Nullable Instant settledThrough(Collection<SlotLease> members) {
		Instant latest = null;
		for (SlotLease lease : members) {
			Instant settled = lease.settled();
			if (settled != null && (latest == null || settled.isAfter(latest))) {
				latest = settled;
			}
		}
		return latest;
	}

	/**
	 * Tells whether the shard may own objects.
	 * @return {@code true} for all but {@link #NONE}
	 */
	public boolean isMember() {
		return this != NONE;
	}

	/**
	 * Tells whether a process holds the Lease.
	 * @return {@code true} if so as far as is known
	 */
	public boolean isHeld() {
		return this == AVAILABLE || this == SETTLING;
	}

}
