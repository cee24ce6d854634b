package dev.sharding.core.lease;

import java.time.Duration;

/**
 * A Lease that is no longer there. Somebody may have deleted it by hand while its shard
 * is at work, so a ready one counts for a while.
 *
 * @param lease what the Lease said last
 * @param since when it was first seen absent
 */
public record VanishedLease(LeaseRecord lease, Moment since) {

	/**
	 * Tells whether the shard still counts as available: it was ready, and its Lease has
	 * been absent for less than two durations.
	 * @param now the current moment
	 * @return {@code true} if objects stay with the shard
	 */
	public boolean isAvailable(Moment now) {
		Duration left = untilUnavailable(now);
		return !left.isZero() && !left.isNegative();
	}

	/**
	 * Returns how long the shard still counts as available.
	 * @param now the current moment
	 * @return the time left; zero or negative if there is none
	 */
	public Duration untilUnavailable(Moment now) {
		if (ShardState.of(this.lease, this.since.wall()) != ShardState.READY) {
			return Duration.ZERO;
		}
		Duration grace = LeaseTimes.of(this.lease, this.since.wall()).leaseDuration().multipliedBy(2);
		return grace.minus(now.observedSince(this.since));
	}

}
