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
		// that
		// it may have renewed unseen.
		LeaseObservation last = (own != null && Objects.equals(own.lease().renewTime(), lease.renewTime())) ? own
				: seen;
		Duration left = LeaseTimes.of(last.lease(), now.wall()).leaseDuration().minus(last.unchangedFor(now));
		return left.isNegative() ? Duration.ZERO : left;
	}

	/**
	 * Returns the last record of the shard itself. An edit by hand that makes its
	 * duration shorter is none: the shard goes by the duration that it wrote, until it
	 * renews.
	 * @param before what was the last one until now, or {@code null}
	 * @param seen what was seen of the Lease
	 * @return {@code seen} if it is of the shard, otherwise {@code before}
	 */
	public static @Nullable LeaseObservation own(@Nullable LeaseObservation before, LeaseObservation seen) {
		LeaseRecord lease = seen.lease();
		if (!lease.isHeldByItself()) {
			return before;
		}
		boolean shortened = before != null && Objects.equals(before.lease().renewTime(), lease.renewTime())
				&& isShorter(lease, before.lease());
		return shortened ? before : seen;
	}

	private static boolean isShorter(LeaseRecord lease, LeaseRecord than) {
		Integer seconds = lease.leaseDurationSeconds();
		Integer before = than.leaseDurationSeconds();
		return before != null && (seconds == null || seconds < before);
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
		Duration left = duration.minus(last.unchangedFor(now));
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
