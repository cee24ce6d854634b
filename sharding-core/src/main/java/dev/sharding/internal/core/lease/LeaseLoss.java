package dev.sharding.internal.core.lease;

import org.jspecify.annotations.Nullable;

/**
 * Why a shard that held its Lease holds it no longer.
 */
public enum LeaseLoss {

	/** No renewal succeeded until the deadline. */
	DEADLINE,

	/** The Lease is gone. Even if it is made anew, others may have seen it gone. */
	ABSENT,

	/** Somebody took the holder off. */
	RELEASED,

	/** The sharder has taken it. */
	TAKEN_BY_SHARDER,

	/** Another process of the same shard name holds it. */
	OTHER_INSTANCE,

	/** Somebody else holds it. */
	OTHER_HOLDER;

	/**
	 * Judges what a shard finds when a renewal met a conflict.
	 * @param shard the process that held the Lease
	 * @param seen what the Lease says now, or {@code null} if it is gone
	 * @return why the Lease is lost, or {@code null} if it is still held and must only be
	 * renewed from what was seen
	 */
	public static @Nullable LeaseLoss of(ShardIdentity shard, @Nullable LeaseRecord seen) {
		if (seen == null) {
			return ABSENT;
		}
		if (shard.holds(seen)) {
			return null;
		}
		if (seen.isReleased()) {
			return RELEASED;
		}
		if (seen.isHeldBySharder()) {
			return TAKEN_BY_SHARDER;
		}
		return seen.isHeldByItself() ? OTHER_INSTANCE : OTHER_HOLDER;
	}

}
