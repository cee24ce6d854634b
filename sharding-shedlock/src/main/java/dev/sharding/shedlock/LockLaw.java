package dev.sharding.shedlock;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import dev.sharding.internal.core.lease.LeaseObservation;
import dev.sharding.internal.core.lease.LeaseRecord;
import dev.sharding.internal.core.lease.LeaseTimes;
import dev.sharding.internal.core.lease.Moment;

/**
 * Who may lock. A lock is held by whom its Lease names, with an instance id of its own
 * for each time that it is locked, and is valid for its duration. It is free for whoever
 * has seen the Lease unchanged for that duration, on a clock of its own: its holder
 * counts from before it sent that write, so it has stopped by then. What the clocks of
 * others say does not count, but for one thing: a lock that ended a day ago by them is
 * free for everybody. Whoever unlocks takes holder and instance id off, and leaves until
 * when nobody is to lock it all the same.
 */
final class LockLaw {

	/*
	 * More than the clock of any machine is off. Processes that live for one try each
	 * never see a Lease for long.
	 */
	private static final Duration LONG_AGO = Duration.ofDays(1);

	private LockLaw() {
	}

	/**
	 * Decides whether a Lease may be locked.
	 * @param seen what was seen of it, up to now
	 * @param mine whether it was locked here, by what does not act any more
	 * @param now the current moment, after the Lease was read
	 * @return whether nobody acts on it
	 */
	static boolean isFree(LeaseObservation seen, boolean mine, Moment now) {
		LeaseRecord lease = seen.lease();
		if (!isHeld(lease)) {
			return untilUnlocked(seen, now).isZero();
		}
		return mine || seen.unchangedFor(now).compareTo(duration(lease)) >= 0 || isOver(lease, LONG_AGO, now);
	}

	/**
	 * Tells whether a lock has run out by what the wall clocks say.
	 * @param lease what the Lease says
	 * @param ago for how long at least
	 * @param now the current moment
	 * @return whether it has, if it is held at all
	 */
	static boolean isOver(LeaseRecord lease, Duration ago, Moment now) {
		return lease.renewTime() != null && !now.wall().isBefore(lease.renewTime().plus(duration(lease)).plus(ago));
	}

	/**
	 * Decides whether a Lease that is not there may be made.
	 * @param last what was seen of it before, or {@code null}
	 * @param mine whether it was locked here, by what does not act any more
	 * @param absentSince when it was first seen absent
	 * @param now the current moment
	 * @return whether nobody acts on it: who held it may not know that it was deleted
	 */
	static boolean isFreeAbsent(@Nullable LeaseObservation last, boolean mine, Moment absentSince, Moment now) {
		return last == null || mine || !isHeld(last.lease())
				|| now.observedSince(absentSince).compareTo(duration(last.lease())) >= 0;
	}

	/**
	 * Tells whether somebody may act on a Lease. Whose holder alone was taken off was not
	 * unlocked.
	 * @param lease what it says
	 * @return whether it was locked and not unlocked
	 */
	static boolean isHeld(LeaseRecord lease) {
		return !lease.isReleased() || lease.instanceId() != null;
	}

	/*
	 * After the end of a task this is about triggers alone, which go by the wall clocks.
	 * One that is far off blocks it for no longer than was asked for.
	 */
	private static Duration untilUnlocked(LeaseObservation seen, Moment now) {
		LeaseRecord lease = seen.lease();
		if (lease.acquireTime() == null || lease.renewTime() == null) {
			return Duration.ZERO;
		}
		Duration asked = Duration.between(lease.acquireTime(), lease.renewTime());
		Duration byClock = Duration.between(now.wall(), lease.renewTime());
		Duration observed = asked.minus(seen.unchangedFor(now));
		Duration left = (byClock.compareTo(observed) < 0) ? byClock : observed;
		return left.isNegative() ? Duration.ZERO : left;
	}

	private static Duration duration(LeaseRecord lease) {
		return (lease.leaseDurationSeconds() != null) ? Duration.ofSeconds(lease.leaseDurationSeconds())
				: LeaseTimes.LONGEST;
	}

}
