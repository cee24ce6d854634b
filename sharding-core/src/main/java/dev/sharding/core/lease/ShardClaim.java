package dev.sharding.core.lease;

import java.time.Duration;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * For how long a shard may still act that does not count as available any more. Whoever
 * gave its Lease back has ended before; anybody else may not have noticed yet that it is
 * lost, and stops at the latest one duration after its last renewal was sent.
 */
public final class ShardClaim {

	private static final int DURATION_OF_A_RELEASE = 1;

	private ShardClaim() {
	}

	/**
	 * Returns how long the claims of a shard may last. Once they are over, its objects
	 * may change hands, provided that its Lease is taken in the version that was seen.
	 * @param seen what was seen of the Lease
	 * @param own the last record of the shard itself that was seen, or {@code null}
	 * @param now the current moment
	 * @return zero if they are over
	 */
	public static Duration untilOver(LeaseObservation seen, @Nullable LeaseObservation own, Moment now) {
		LeaseRecord lease = seen.lease();
		if (lease.isHeldBySharder() || isGivenBack(lease)) {
			return Duration.ZERO;
		}
		// An edit by hand leaves the times of the shard as they are. Other times mean
		// that it may have renewed unseen.
		if (own != null && Objects.equals(own.lease().renewTime(), lease.renewTime())) {
			return left(duration(own, now), own.unchangedFor(now));
		}
		return left(longest(seen, own, now), seen.unchangedFor(now));
	}

	/**
	 * Returns the last record of the shard itself. A process writes the same duration in
	 * all its renewals, so another one was edited by hand, and does not change for how
	 * long the shard believes in its Lease.
	 * @param before what was the last one until now, or {@code null}
	 * @param seen what was seen of the Lease
	 * @return {@code seen}, with the duration that the shard wrote, if it is of the
	 * shard; otherwise {@code before}
	 */
	public static @Nullable LeaseObservation own(@Nullable LeaseObservation before, LeaseObservation seen) {
		LeaseRecord lease = seen.lease();
		if (!lease.isHeldByItself()) {
			return before;
		}
		if (before == null) {
			return seen;
		}
		LeaseRecord known = before.lease();
		boolean sameRenewal = Objects.equals(known.renewTime(), lease.renewTime());
		if (known.isComplete() && (sameRenewal || !lease.isComplete())) {
			// Nothing but an edit leaves the time of the renewal, or takes a field away.
			return sameRenewal ? before : new LeaseObservation(known, seen.since(), seen.moved());
		}
		// Whether it is the same process cannot be told of shards that are not ours.
		boolean sameTerm = Objects.equals(known.acquireTime(), lease.acquireTime())
				&& Objects.equals(known.instanceId(), lease.instanceId())
				&& (lease.instanceId() != null || isShorter(lease, known));
		// What was there when we came may have been edited itself: a renewal tells.
		return (known.isComplete() && sameTerm && before.moved())
				? new LeaseObservation(lease.withDuration(known.leaseDurationSeconds()), seen.since(), seen.moved())
				: seen;
	}

	private static boolean isShorter(LeaseRecord lease, LeaseRecord than) {
		Integer seconds = lease.leaseDurationSeconds();
		Integer before = than.leaseDurationSeconds();
		return seconds != null && before != null && seconds < before;
	}

	/**
	 * Returns how long the claims of a shard may last whose Lease the sharder took
	 * although it was renewed.
	 * @param seen what was seen of the Lease
	 * @param own the last record of the shard itself that was seen, or {@code null} if
	 * another sharder took the Lease
	 * @param now the current moment
	 * @return zero if they are over
	 */
	public static Duration untilOverAfterForce(LeaseObservation seen, @Nullable LeaseObservation own, Moment now) {
		if (!seen.lease().isHeldBySharder()) {
			return untilOver(seen, own, now);
		}
		LeaseObservation last = (own != null) ? own : seen;
		// The sharder writes twice the duration of the shard.
		Duration duration = LeaseTimes.of(last.lease(), now.wall()).leaseDuration().dividedBy((own != null) ? 1 : 2);
		return left(duration, last.unchangedFor(now));
	}

	/**
	 * Returns how long the claims of a shard may last whose Lease is gone. Unless the
	 * shard had ended before, it may have renewed the Lease unseen until just before.
	 * @param seen what was last seen of the Lease
	 * @param own the last record of the shard itself that was seen, or {@code null}
	 * @param byForce whether the sharder took the Lease although it was renewed
	 * @param absentSince when it was first seen absent
	 * @param now the current moment
	 * @return zero if they are over
	 */
	public static Duration untilOverAfterDelete(LeaseObservation seen, @Nullable LeaseObservation own, boolean byForce,
			Moment absentSince, Moment now) {
		LeaseRecord lease = seen.lease();
		if (byForce && lease.isHeldBySharder()) {
			return untilOverAfterForce(seen, own, now);
		}
		if (lease.isHeldBySharder() || isGivenBack(lease)) {
			return Duration.ZERO;
		}
		return left(longest(seen, own, now), now.observedSince(absentSince));
	}

	private static Duration longest(LeaseObservation seen, @Nullable LeaseObservation own, Moment now) {
		Duration duration = duration(seen, now);
		Duration ofOwn = (own != null) ? duration(own, now) : Duration.ZERO;
		return (ofOwn.compareTo(duration) > 0) ? ofOwn : duration;
	}

	private static Duration duration(LeaseObservation of, Moment now) {
		return LeaseTimes.believed(of.lease(), now.wall());
	}

	private static Duration left(Duration of, Duration passed) {
		Duration left = of.minus(passed);
		return left.isNegative() ? Duration.ZERO : left;
	}

	/**
	 * Tells whether the holder itself gave the Lease back, as shards and the sharder do:
	 * without holder, all times at that moment, one second long. A holder that was only
	 * taken off leaves other traces.
	 * @param lease what the Lease says
	 * @return {@code true} if nobody acts on it
	 */
	public static boolean isGivenBack(LeaseRecord lease) {
		Integer seconds = lease.leaseDurationSeconds();
		return lease.isReleased() && seconds != null && seconds <= DURATION_OF_A_RELEASE && lease.renewTime() != null
				&& lease.renewTime().equals(lease.acquireTime());
	}

}
