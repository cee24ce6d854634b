package dev.sharding.internal.core.lease;

import java.time.Duration;
import java.time.Instant;
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
 * Which duration: a process writes the same one in all its renewals, so it is known by
 * two writes in a row that differ in their time and not in their duration. Whatever a
 * Lease says otherwise is an edit. The longest that a shard was seen to renew with counts
 * until it gives its Lease back or the sharder takes it. As long as no renewal was seen,
 * what the Lease says may be an edit: the longest counts that it said, and the shard acts
 * for no less than one that was never seen.
 *
 * <p>
 * How long a duration may be is capped, as our shards believe no more, and an edit counts
 * for two capped durations at most. Where it is not known that a shard is ours, all that
 * it renewed with counts, and before the first renewal all that its Lease says.
 */
public final class ShardClaim {

	private static final int DURATION_OF_A_RELEASE = 1;

	private static final Duration UNTOLD = Duration.ofSeconds(15);

	private final LeaseRecord lease;

	/* With which the shard renews, as far as is known. */
	private final Duration own;

	/*
	 * Since when a shard that was never seen to renew may have renewed unseen; null if it
	 * was seen, or has ended.
	 */
	private final @Nullable Moment unproven;

	private final End capped;

	private final End full;

	private ShardClaim(LeaseRecord lease, Duration own, @Nullable Moment unproven, End capped, End full) {
		this.lease = lease;
		this.own = own;
		this.unproven = unproven;
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
		boolean forced = byForce && lease.isHeldBySharder();
		End over = new End(now, Duration.ZERO);
		if (hasEnded(lease) && !forced) {
			return new ShardClaim(lease, Duration.ZERO, null, over, over);
		}
		// The sharder writes twice what the shard had written.
		Duration own = forced ? duration(lease).dividedBy(2) : duration(lease);
		Duration lasts = (forced || isActing(lease)) ? own : own.multipliedBy(2);
		return new ShardClaim(lease, own, now, over.extended(capped(lasts, longest), now), over.extended(lasts, now));
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
			return first(seen, false, longest, now);
		}
		if (seen.isHeldBySharder()) {
			// It had waited, unless it took the Lease by force.
			return byForce ? with(seen, this.own, this.unproven).extended(this.own, longest, now)
					: with(seen, this.own, null);
		}
		ShardClaim next = isRenewal(seen) ? renewed(seen, longest, now) : changed(seen, longest, now);
		// What is not believed is not believed for longer because it is written anew.
		boolean stays = !seen.isBelieved(longest) && !this.lease.isBelieved(longest);
		return stays
				? new ShardClaim(seen, next.own, (next.unproven != null) ? this.unproven : null, this.capped, next.full)
				: next;
	}

	/**
	 * Finds a Lease again where one had vanished. One that was given back before the last
	 * renewal that was seen is a copy which somebody has restored: its shard may be at
	 * work.
	 * @param seen what it says now
	 * @param byForce whether it says that the sharder took it from a shard that renewed
	 * @param longest the longest duration that our shards believe
	 * @param now the current moment
	 * @return the claim
	 */
	public ShardClaim returned(LeaseRecord seen, boolean byForce, Duration longest, Moment now) {
		Instant last = this.lease.renewTime();
		boolean copy = isGivenBack(seen) && !hasEnded(this.lease) && last != null && seen.renewTime() != null
				&& !seen.renewTime().isAfter(last);
		return copy ? with(seen, this.own, this.unproven) : next(seen, byForce, longest, now);
	}

	private ShardClaim renewed(LeaseRecord seen, Duration longest, Moment now) {
		Duration says = duration(seen);
		if (this.unproven == null) {
			Duration most = longer(this.own, says);
			return with(seen, most, null).extended(most, longest, now);
		}
		// What the Lease said before was an edit, if it was longer.
		return new ShardClaim(seen, says, null, this.capped, this.capped).extended(says, longest, now);
	}

	private ShardClaim changed(LeaseRecord seen, Duration longest, Moment now) {
		boolean begins = hasEnded(this.lease);
		boolean proven = this.unproven == null && !begins;
		Duration says = duration(seen);
		Duration before = begins ? Duration.ZERO : this.own;
		Duration most = (proven || !seen.isHeldByItself()) ? before : longer(before, says);
		ShardClaim next = with(seen, most, proven ? null : now);
		if (isActing(seen) && !this.lease.isHeldByItself() && says.compareTo(most) <= 0) {
			// It has acquired it again.
			return next.extended(most, longest, now);
		}
		Duration unknown = capped(longer(most, says).multipliedBy(2), longest);
		return next.extended(longer(unknown, most.multipliedBy(2)), longest, now);
	}

	/**
	 * Finds no Lease any more. Unless its shard had ended before, it may have renewed
	 * unseen until just before.
	 * @param longest the longest duration that our shards believe
	 * @param now when it was first seen absent
	 * @return the claim
	 */
	public ShardClaim gone(Duration longest, Moment now) {
		return hasEnded(this.lease) ? this : with(this.lease, this.own, (this.unproven != null) ? now : null)
			.extended(this.own.multipliedBy(2), longest, now);
	}

	/**
	 * Returns how long the claims of the shard may last. Once they are over, its objects
	 * may change hands, provided that its Lease is taken in the version that was seen.
	 * @param ours whether the shard is known to be one of ours
	 * @param unseen how long a shard of its ring may act whose Lease was never seen
	 * @param now the current moment
	 * @return zero if they are over
	 */
	public Duration untilOver(boolean ours, Duration unseen, Moment now) {
		Duration left = (ours ? this.capped : this.full).left(now);
		return (this.unproven != null) ? longer(left, new End(this.unproven, unseen).left(now)) : left;
	}

	/**
	 * Returns the duration of the shard's renewals, as far as is known: what its Lease
	 * says counts only as long as no renewal was seen.
	 * @return the longest, zero if it has ended
	 */
	public Duration renewsWith() {
		return this.own;
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

	private ShardClaim with(LeaseRecord seen, Duration renewsWith, @Nullable Moment since) {
		return new ShardClaim(seen, renewsWith, since, this.capped, this.full);
	}

	private ShardClaim extended(Duration more, Duration longest, Moment now) {
		return new ShardClaim(this.lease, this.own, this.unproven, this.capped.extended(capped(more, longest), now),
				this.full.extended(more, now));
	}

	/* Nothing but an edit leaves the time of a renewal. */
	private boolean isRenewal(LeaseRecord seen) {
		return isActing(seen) && this.lease.isHeldByItself()
				&& !Objects.equals(this.lease.renewTime(), seen.renewTime())
				&& (Objects.equals(this.lease.leaseDurationSeconds(), seen.leaseDurationSeconds())
						|| (this.unproven == null && duration(seen).equals(this.own)));
	}

	private static boolean isActing(LeaseRecord lease) {
		return lease.isHeldByItself() && lease.isComplete();
	}

	private static boolean hasEnded(LeaseRecord lease) {
		return lease.isHeldBySharder() || isGivenBack(lease);
	}

	private static Duration duration(LeaseRecord lease) {
		Integer seconds = lease.leaseDurationSeconds();
		Duration said = (seconds != null) ? Duration.ofSeconds(seconds) : UNTOLD;
		return lease.isComplete() ? said : longer(said, UNTOLD);
	}

	private static Duration capped(Duration duration, Duration longest) {
		Duration most = longest.multipliedBy(2);
		return (duration.compareTo(most) < 0) ? duration : most;
	}

	private static Duration longer(Duration one, Duration other) {
		return (one.compareTo(other) > 0) ? one : other;
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
