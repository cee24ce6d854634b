package dev.sharding.qos.spi;

import java.time.Duration;

/**
 * How fast the requests of a rule may go.
 */
public sealed interface QosClass {

	/**
	 * A mean rate that may be exceeded for a moment.
	 *
	 * @param qps units per second, above 0
	 * @param burst units that may go at once after a pause, at least 1
	 */
	record TokenBucket(double qps, long burst) implements QosClass {

		/**
		 * Checks the class.
		 * @throws IllegalArgumentException if a value is out of its range
		 */
		public TokenBucket {
			requireRate(qps);
			requirePositive("burst", burst);
		}

	}

	/**
	 * An even rate, with a queue in front.
	 *
	 * @param qps requests per second, above 0
	 * @param queue how many may wait; what comes then is rejected
	 */
	record LeakyBucket(double qps, int queue) implements QosClass {

		/**
		 * Checks the class.
		 * @throws IllegalArgumentException if a value is out of its range
		 */
		public LeakyBucket {
			requireRate(qps);
			if (queue < 0) {
				throw new IllegalArgumentException("'queue' must not be negative (is %d)".formatted(queue));
			}
		}

		/**
		 * Returns the law of a leaky bucket: a token bucket that saves nothing up, so
		 * that no two requests are closer than {@code 1/qps}.
		 * @return the bucket
		 */
		public TokenBucket asTokenBucket() {
			return new TokenBucket(this.qps, 1);
		}

		/**
		 * Returns how long a request may wait: no longer than the queue is.
		 * @param asked how long its rule lets it
		 * @return the shorter of the two
		 */
		public Duration longestWait(Duration asked) {
			Duration queued = Duration.ofNanos((long) Math.min(1e18, Math.ceil(1e9 / this.qps) * this.queue));
			return (asked.compareTo(queued) < 0) ? asked : queued;
		}

	}

	/**
	 * So many units in any window.
	 *
	 * @param units the units, at least 1
	 * @param window the length of the window, from 1 ms to a day
	 */
	record RunningWindow(long units, Duration window) implements QosClass {

		/**
		 * Checks the class.
		 * @throws IllegalArgumentException if a value is out of its range
		 */
		public RunningWindow {
			requirePositive("units", units);
			if (window.compareTo(Duration.ofMillis(1)) < 0 || window.compareTo(Duration.ofDays(1)) > 0) {
				throw new IllegalArgumentException("'window' must be from 1 ms to a day (is %s)".formatted(window));
			}
		}

	}

	/**
	 * So many requests at a time.
	 *
	 * @param max the number, at least 1
	 */
	record MaxInFlight(int max) implements QosClass {

		/**
		 * Checks the class.
		 * @throws IllegalArgumentException if the number is below 1
		 */
		public MaxInFlight {
			requirePositive("max", max);
		}

	}

	private static void requireRate(double qps) {
		if (!(qps > 0 && qps <= 1_000_000)) {
			throw new IllegalArgumentException("'qps' must be above 0 and at most 1000000 (is %s)".formatted(qps));
		}
	}

	private static void requirePositive(String name, long value) {
		if (value < 1) {
			throw new IllegalArgumentException("'%s' must be at least 1 (is %d)".formatted(name, value));
		}
	}

}
