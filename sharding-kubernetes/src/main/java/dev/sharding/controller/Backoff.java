package dev.sharding.controller;

import java.time.Duration;

import dev.sharding.internal.core.Internal;

/**
 * The law of retries: how long an object waits after its n-th failure in a row. The wait
 * doubles with each failure and is stretched by up to the jitter, so that objects that
 * failed together do not come back together. It is never below {@code initial} and never
 * above {@code max}.
 *
 * @param initial the wait after the first failure, positive
 * @param max the longest wait, jitter included, not below {@code initial}
 * @param jitter the largest stretch as a share of the wait, 0 to 1
 */
public record Backoff(Duration initial, Duration max, double jitter) {

	/** 5 ms doubling to 1000 s, as client-go's work queue, with a jitter of 20 %. */
	public static final Backoff DEFAULT = new Backoff(Duration.ofMillis(5), Duration.ofSeconds(1000), 0.2);

	private static final Duration LONGEST = Duration.ofDays(365);

	public Backoff {
		if (initial.isNegative() || initial.isZero()) {
			throw new IllegalArgumentException("'initial' must be positive (is " + initial + ")");
		}
		if (max.compareTo(initial) < 0) {
			throw new IllegalArgumentException("'max' must not be below 'initial' (is " + max + " < " + initial + ")");
		}
		if (!(jitter >= 0 && jitter <= 1)) {
			throw new IllegalArgumentException("'jitter' must be between 0 and 1 (is " + jitter + ")");
		}
	}

	/**
	 * How long to wait after {@code failures} failures in a row.
	 * @param failures the number of failures, at least 1
	 * @param random the share of the jitter to use, 0 (inclusive) to 1 (exclusive)
	 * @return the wait in nanoseconds
	 */
	public long delayNanos(int failures, double random) {
		long first = nanos(this.initial);
		long longest = nanos(this.max);
		long ceiling = Math.max(first, (long) (longest / (1 + this.jitter)));
		int doublings = Math.min(Math.max(failures, 1) - 1, 62);
		long wait = (first > (ceiling >> doublings)) ? ceiling : first << doublings;
		return Math.min(longest, wait + (long) (wait * this.jitter * random));
	}

	/**
	 * A wait as queues take it, whatever was asked for: 0 to a year, so that sums of
	 * waits and times do not overflow.
	 */
	@Internal
	public static long nanos(Duration wait) {
		return wait.isNegative() ? 0 : ((wait.compareTo(LONGEST) < 0) ? wait : LONGEST).toNanos();
	}

}
