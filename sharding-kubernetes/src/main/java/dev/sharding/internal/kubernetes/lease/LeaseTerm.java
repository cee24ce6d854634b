package dev.sharding.internal.kubernetes.lease;

import java.time.Duration;

import dev.sharding.internal.core.lease.Moment;

/**
 * One uninterrupted time of holding a Lease, as of its last renewal. A renewal replaces
 * the value and keeps the {@link #number}.
 *
 * @param number counts the terms of one {@link LeaseHolder} from 1
 * @param acquired when the call that acquired the Lease was sent
 * @param renewed when the last successful renewal was sent
 * @param duration the duration that the last renewal has written into the Lease
 */
public record LeaseTerm(long number, Moment acquired, Moment renewed, Duration duration) {

	static LeaseTerm begin(long number, Moment sent, Duration duration) {
		return new LeaseTerm(number, sent, sent, duration);
	}

	LeaseTerm renewed(Moment sent, Duration duration) {
		return new LeaseTerm(this.number, this.acquired, sent, duration);
	}

	/**
	 * Tells whether nobody else can have got the Lease by now, with {@code margin} to
	 * spare: the time since the last successful renewal was sent, the larger one of what
	 * the two clocks say, is below the duration less the margin.
	 * @param now the current moment
	 * @param margin how much earlier than the end of the Lease to say no
	 * @return {@code true} if the Lease is valid for longer than {@code margin}
	 */
	public boolean validAt(Moment now, Duration margin) {
		return now.since(this.renewed).compareTo(this.duration.minus(margin)) < 0;
	}

}
