package dev.sharding.internal.core.qos;

import java.util.ArrayList;
import java.util.List;

import dev.sharding.internal.core.qos.Admission.Granted;
import dev.sharding.internal.core.qos.Admission.Refused;
import dev.sharding.qos.spi.QosClass;

/**
 * The state of a token bucket: when the bucket is full again if nothing comes. This is
 * the generic cell rate algorithm (ITU-T I.371), which needs no refill and has no cycles,
 * so that no window sees more than the rate plus one burst. What a request takes is a
 * stretch of time; the stretches of those that gave up their wait are kept until they are
 * past, as those behind them have their times already.
 *
 * @param fullAtNanos on the monotonic clock, which may have any origin and may overflow
 * @param heldUntilNanos nothing that asks goes before it
 * @param given stretches before that time that were given back, earliest first
 */
public record TokenBucketState(long fullAtNanos, long heldUntilNanos, List<Stretch> given) {

	/** Gives the state what cannot be changed. */
	public TokenBucketState {
		given = List.copyOf(given);
	}

	/* Debts are counted up to here, so that no cost can overflow the clock. */
	private static final double LONGEST = 1e9 * 60 * 60 * 24 * 365;

	/**
	 * Returns a full bucket.
	 * @param now the monotonic clock in nanoseconds
	 * @return the state
	 */
	public static TokenBucketState full(long now) {
		return new TokenBucketState(now, now, List.of());
	}

	/**
	 * Asks for units. A cost above the burst goes when the bucket is full, since it never
	 * holds more, and leaves a debt that those after it wait for: over time the rate is
	 * kept, and the burst is exceeded by that one request. What costs nothing waits only
	 * while all is held back.
	 * @param limit rate and burst
	 * @param cost the units, 0 or more
	 * @param now the monotonic clock in nanoseconds
	 * @param longestWait how many nanoseconds the request may wait, 0 for not at all
	 * @return granted or refused
	 */
	public Admission<TokenBucketState> reserve(QosClass.TokenBucket limit, long cost, long now, long longestWait) {
		if (cost == 0) {
			return Admission.ofNothing(this, this.heldUntilNanos - now, longestWait);
		}
		long length = nanos(limit, cost);
		TokenBucketState future = this.given.isEmpty() ? this : since(now);
		// What is booked from there on goes when the hold ends, or later.
		long first = (this.heldUntilNanos - now > 0) ? this.heldUntilNanos + reach(limit, length) - length : now;
		for (int i = 0; i < future.given.size(); i++) {
			Stretch place = future.given.get(i);
			long from = later(place.fromNanos(), first);
			if (place.untilNanos() - from - length >= 0) {
				return grant(limit, from, length, now, longestWait, future.without(i, from + length));
			}
		}
		long from = later(this.fullAtNanos, first);
		return grant(limit, from, length, now, longestWait,
				new TokenBucketState(from + length, this.heldUntilNanos, future.given));
	}

	private static Admission<TokenBucketState> grant(QosClass.TokenBucket limit, long from, long length, long now,
			long longestWait, TokenBucketState next) {
		long wait = Math.max(0, from + length - reach(limit, length) - now);
		return (wait <= longestWait) ? new Granted<>(next, wait) : new Refused<>(wait);
	}

	/* Without what is past. */
	private TokenBucketState since(long now) {
		List<Stretch> left = new ArrayList<>();
		for (Stretch place : this.given) {
			if (place.untilNanos() - now > 0) {
				left.add((place.fromNanos() - now >= 0) ? place : new Stretch(now, place.untilNanos()));
			}
		}
		return new TokenBucketState(this.fullAtNanos, this.heldUntilNanos, left);
	}

	/* Without one of the places up to here. */
	private TokenBucketState without(int index, long end) {
		List<Stretch> left = new ArrayList<>(this.given);
		Stretch place = left.remove(index);
		if (place.untilNanos() - end > 0) {
			left.add(index, new Stretch(end, place.untilNanos()));
		}
		return new TokenBucketState(this.fullAtNanos, this.heldUntilNanos, left);
	}

	/**
	 * Gives booked units back, for a request that gave up its wait. Its place is free for
	 * another one; nobody who waits behind it goes earlier.
	 * @param limit rate and burst
	 * @param cost the units
	 * @param due when the request would have gone, on the monotonic clock: when it asked
	 * and what it was told to wait, which was not zero
	 * @return the state without them
	 */
	public TokenBucketState giveBack(QosClass.TokenBucket limit, long cost, long due) {
		if (cost == 0) {
			return this;
		}
		long until = due + reach(limit, nanos(limit, cost));
		List<Stretch> all = new ArrayList<>(this.given);
		int index = 0;
		while (index < all.size() && all.get(index).fromNanos() - until < 0) {
			index++;
		}
		all.add(index, new Stretch(until - nanos(limit, cost), until));
		long full = this.fullAtNanos;
		while (!all.isEmpty() && all.get(all.size() - 1).untilNanos() - full >= 0) {
			full = all.remove(all.size() - 1).fromNanos();
		}
		return new TokenBucketState(full, this.heldUntilNanos, all);
	}

	/**
	 * Holds everything back, for a server that asked for it with Retry-After. Who waits
	 * already keeps its time; if it gives up, nobody else goes at that time. When the
	 * hold ends, nothing is saved up.
	 * @param limit rate and burst
	 * @param until the monotonic clock before which nothing else may go
	 * @return the state in which nothing goes earlier
	 */
	public TokenBucketState holdUntil(QosClass.TokenBucket limit, long until) {
		long unit = nanos(limit, 1);
		long full = until + reach(limit, unit) - unit;
		return new TokenBucketState(later(this.fullAtNanos, full), later(this.heldUntilNanos, until), this.given);
	}

	/**
	 * Goes on under another limit. What is missing stays missing, so that a change gives
	 * nobody a second burst, and who waits is not overtaken; a hold ends when it would
	 * have.
	 * @param before the limit so far
	 * @param after the limit from now on
	 * @param now the monotonic clock in nanoseconds
	 * @return the state under the new limit
	 */
	public TokenBucketState changed(QosClass.TokenBucket before, QosClass.TokenBucket after, long now) {
		// A hold is a time, not units that would be scaled.
		long start = later(now, this.heldUntilNanos);
		double missing = Math.max(0, this.fullAtNanos - start) * (before.qps() / 1e9);
		return new TokenBucketState(start + (long) Math.min(LONGEST, Math.ceil(missing * (1e9 / after.qps()))),
				this.heldUntilNanos, List.of());
	}

	/**
	 * Takes units out, be they there or not: whoever asks waits for them.
	 * @param limit rate and burst
	 * @param units the units, 0 or more
	 * @param now the monotonic clock in nanoseconds
	 * @return the state without them
	 */
	public TokenBucketState withhold(QosClass.TokenBucket limit, long units, long now) {
		return (units == 0) ? this : new TokenBucketState(later(this.fullAtNanos, now) + nanos(limit, units),
				this.heldUntilNanos, this.given);
	}

	/**
	 * Whether nothing is missing and nothing held back: from now on the state answers as
	 * one that was never used.
	 * @param now the monotonic clock in nanoseconds
	 * @return whether the bucket is full
	 */
	public boolean isFull(long now) {
		return this.fullAtNanos - now <= 0 && this.heldUntilNanos - now <= 0;
	}

	private static long later(long one, long other) {
		return (one - other > 0) ? one : other;
	}

	/*
	 * From the moment at which a request goes to the end of the time that it books. Each
	 * unit of a burst may have been rounded up for itself, and all of them must fit.
	 */
	private static long reach(QosClass.TokenBucket limit, long length) {
		return Math.max((long) Math.min(LONGEST, (double) limit.burst() * nanos(limit, 1)), length);
	}

	/* Rounded up, so that rounding never lets more through than the rate. */
	private static long nanos(QosClass.TokenBucket limit, long units) {
		return (long) Math.min(LONGEST, Math.ceil(units * (1e9 / limit.qps())));
	}

	/**
	 * A time that was booked and is free.
	 *
	 * @param fromNanos its begin
	 * @param untilNanos its end
	 */
	public record Stretch(long fromNanos, long untilNanos) {
	}

}
