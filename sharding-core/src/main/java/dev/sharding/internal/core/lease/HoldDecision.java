package dev.sharding.internal.core.lease;

import java.time.Duration;

/**
 * What the sharder does with the Lease of a shard that it holds, so that nobody acts as
 * that shard while its objects move.
 */
public sealed interface HoldDecision {

	/**
	 * Decides what to do with a Lease that is held.
	 * @param hold how it is held
	 * @param wanted whether objects still have to leave the shard
	 * @param now the current moment
	 * @return renew, give back, let run out or look again
	 */
	static HoldDecision of(Hold hold, boolean wanted, Moment now) {
		Duration shown = hold.atLeast().minus(now.observedSince(hold.taken()));
		if (wanted || isPositive(shown)) {
			Duration due = hold.duration().dividedBy(Hold.RENEWALS).minus(now.since(hold.renewed()));
			if (!isPositive(due)) {
				return new Renew();
			}
			return new LookAgain((wanted || due.compareTo(shown) < 0) ? due : shown);
		}
		return hold.runsOut() ? new LetRunOut() : new GiveBack();
	}

	private static boolean isPositive(Duration duration) {
		return !duration.isZero() && !duration.isNegative();
	}

	/**
	 * How a Lease is held.
	 *
	 * @param taken since when
	 * @param renewed when the last successful write of it was sent
	 * @param duration the duration that was written
	 * @param atLeast for how long to hold it at least, so that people see it
	 * @param runsOut whether it is not given back: the process that held it may go on
	 * with what it knows if it gets its Lease back too soon
	 */
	record Hold(Moment taken, Moment renewed, Duration duration, Duration atLeast, boolean runsOut) {

		private static final int RENEWALS = 4;

	}

	/**
	 * Renew it now.
	 */
	record Renew() implements HoldDecision {
	}

	/**
	 * Nothing is left to move: take the holder off, so that the shard can come back.
	 */
	record GiveBack() implements HoldDecision {
	}

	/**
	 * Nothing is left to move: renew it no more.
	 */
	record LetRunOut() implements HoldDecision {
	}

	/**
	 * Nothing to do yet.
	 *
	 * @param delay the time after which to look again, positive
	 */
	record LookAgain(Duration delay) implements HoldDecision {
	}

}
