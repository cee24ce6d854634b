package dev.sharding.core.qos;

import dev.sharding.core.qos.Admission.Granted;
import dev.sharding.core.qos.Admission.Refused;

/**
 * The state of a token bucket. One number says it all: when the bucket is full again if
 * nothing comes. This is the generic cell rate algorithm (ITU-T I.371), which needs no
 * refill and has no cycles, so that no window sees more than the rate plus one burst.
 *
 * @param fullAtNanos on the monotonic clock, which may have any origin and may overflow
 */
public record TokenBucketState(long fullAtNanos) {

	/* Debts are counted up to here, so that no cost can overflow the clock. */
	private static final double LONGEST = 1e9 * 60 * 60 * 24 * 365;

	/**
	 * Returns a full bucket.
	 * @param now the monotonic clock in nanoseconds
	 * @return the state
	 */
	public static TokenBucketState full(long now) {
		return new TokenBucketState(now);
	}

	/**
	 * Asks for units. A cost above the burst is granted too, after a longer wait, since
	 * otherwise it never would.
	 * @param limit rate and burst
	 * @param cost the units, 0 or more
	 * @param now the monotonic clock in nanoseconds
	 * @param longestWait how many nanoseconds the request may wait, 0 for not at all
	 * @return granted or refused
	 */
	public Admission<TokenBucketState> reserve(QosClass.TokenBucket limit, long cost, long now, long longestWait) {
		long from = (this.fullAtNanos - now > 0) ? this.fullAtNanos : now;
		long next = from + nanos(limit, cost);
		long wait = Math.max(0, next - nanos(limit, limit.burst()) - now);
		return (cost == 0 || wait <= longestWait) ? new Granted<>(new TokenBucketState(next), (cost == 0) ? 0 : wait)
				: new Refused<>(wait);
	}

	/**
	 * Gives booked units back, for a request that gave up its wait.
	 * @param limit rate and burst
	 * @param cost the units
	 * @return the state without them
	 */
	public TokenBucketState giveBack(QosClass.TokenBucket limit, long cost) {
		return new TokenBucketState(this.fullAtNanos - nanos(limit, cost));
	}

	/**
	 * Holds everything back, for a server that asked for it with Retry-After.
	 * @param limit rate and burst
	 * @param until the monotonic clock before which nothing may go
	 * @return the state in which nothing goes earlier
	 */
	public TokenBucketState holdUntil(QosClass.TokenBucket limit, long until) {
		long full = until + nanos(limit, limit.burst() - 1);
		return (full - this.fullAtNanos > 0) ? new TokenBucketState(full) : this;
	}

	/* Rounded up, so that rounding never lets more through than the rate. */
	private static long nanos(QosClass.TokenBucket limit, long units) {
		return (long) Math.min(LONGEST, Math.ceil(units * (1e9 / limit.qps())));
	}

}
