package dev.sharding.core.lease;

import java.time.Duration;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * For how long somebody may still act as a shard, by what was seen of its Lease. Whoever
 * gave the Lease back has ended; whoever renews it goes on for one duration. Whatever
 * else happens to a Lease was not done by its shard, which may not have noticed and may
 * have renewed unseen: it is unknown who acts, for two durations. A claim becomes shorter
 * by time alone, and by a release.
 *
 * <p>
 * How long a duration may be is capped, as our shards believe no more. Where it is not
 * known that a shard is ours, all that its Lease says counts.
 */
public final class ShardClaim {

	private static final int DURATION_OF_A_RELEASE = 1;

	private static final Duration UNTOLD = Duration.ofSeconds(15);

	private final LeaseRecord lease;

	private final End capped;

	private final End full;

	private ShardClaim(LeaseRecord lease, End capped, End full) {
		this.lease = lease;
		this.capped = capped;
		this.full = full;
	}

	/**
	 * Begins to look at a Lease.
	 * @param lease what it says
	 * @param byForce whether it says that the sharder took it from a shard that renewed
	 * @param longest the longest duration that our shards believe
	 * @param now the current moment
	 * @return the claim
	 */
	public static ShardClaim first(LeaseRecord lease, boolean byForce, Duration longest, Moment now) {
		End over = new End(now, Duration.ZERO);
		return new ShardClaim(lease, over, over).extended(lease, more(null, lease, byForce), longest, now);
	}

	/**
	 * Looks at the Lease again.
	 * @param seen what it says now
	 * @param byForce whether it says that the sharder took it from a shard that renewed
	 * @param longest the longest duration that our shards believe
	 * @param now the current moment
	 * @return the claim
	 */
	public ShardClaim next(LeaseRecord seen, boolean byForce, Duration longest, Moment now) {
		if (seen.equals(this.lease)) {
			return this;
		}
		if (isGivenBack(seen)) {
			return first(seen, byForce, longest, now);
		}
		// What is not believed is not believed for longer because it is written anew.
		boolean stays = !seen.isBelieved(longest) && !this.lease.isBelieved(longest);
		End since = this.capped;
		ShardClaim next = extended(seen, more(this.lease, seen, byForce), longest, now);
		return stays ? new ShardClaim(seen, since, next.full) : next;
	}

	/**
	 * Finds no Lease any more. Unless its shard had ended before, it may have renewed
	 * unseen until just before.
	 * @param longest the longest duration that our shards believe
	 * @param now when it was first seen absent
	 * @return the claim
	 */
	public ShardClaim gone(Duration longest, Moment now) {
		boolean ended = this.lease.isHeldBySharder() || isGivenBack(this.lease);
		return extended(this.lease, ended ? Duration.ZERO : duration(this.lease).multipliedBy(2), longest, now);
	}

	/**
	 * Returns how long the claims of the shard may last. Once they are over, its objects
	 * may change hands, provided that its Lease is taken in the version that was seen.
	 * @param ours whether the shard is known to be one of ours
	 * @param now the current moment
	 * @return zero if they are over
	 */
	public Duration untilOver(boolean ours, Moment now) {
		return (ours ? this.capped : this.full).left(now);
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

	private ShardClaim extended(LeaseRecord seen, Duration more, Duration longest, Moment now) {
		Duration most = longest.multipliedBy(2);
		return new ShardClaim(seen, this.capped.extended((more.compareTo(most) < 0) ? more : most, now),
				this.full.extended(more, now));
	}

	/* For how long from now on what is seen allows somebody to act. */
	private static Duration more(@Nullable LeaseRecord before, LeaseRecord seen, boolean byForce) {
		if (isGivenBack(seen)) {
			return Duration.ZERO;
		}
		Duration says = duration(seen);
		if (seen.isHeldBySharder()) {
			// It had waited, or it wrote twice what the shard had written.
			return byForce ? says.dividedBy(2) : Duration.ZERO;
		}
		if (isOfShard(before, seen)) {
			return says;
		}
		Duration said = (before != null) ? duration(before) : Duration.ZERO;
		return ((said.compareTo(says) > 0) ? said : says).multipliedBy(2);
	}

	/*
	 * A process writes the same duration in all its renewals, and nothing but an edit
	 * leaves their time.
	 */
	private static boolean isOfShard(@Nullable LeaseRecord before, LeaseRecord seen) {
		if (!seen.isHeldByItself() || !seen.isComplete()) {
			return false;
		}
		return before == null || !before.isHeldByItself()
				|| (Objects.equals(before.leaseDurationSeconds(), seen.leaseDurationSeconds())
						&& !Objects.equals(before.renewTime(), seen.renewTime()));
	}

	private static Duration duration(LeaseRecord lease) {
		Integer seconds = lease.leaseDurationSeconds();
		Duration said = (seconds != null) ? Duration.ofSeconds(seconds) : UNTOLD;
		return (lease.isComplete() || said.compareTo(UNTOLD) > 0) ? said : UNTOLD;
	}

	private record End(Moment since, Duration lasts) {

		Duration left(Moment now) {
			Duration left = this.lasts.minus(now.observedSince(this.since));
			return left.isNegative() ? Duration.ZERO : left;
		}

		End extended(Duration more, Moment now) {
			return (more.compareTo(left(now)) > 0) ? new End(now, more) : this;
		}

	}

}
