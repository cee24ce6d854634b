package dev.sharding.internal.core.lease;

import java.time.Duration;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * When a shard renews its Lease and when it gives up.
 *
 * @param leaseDuration how long the Lease is valid after a renewal; whole seconds, since
 * a Lease states it in seconds
 * @param renewDeadline how long after the last successful renewal the shard stops to act
 * @param retryPeriod how long to wait between two attempts
 * @param jitterFactor the longest wait as a multiple of the retry period
 */
public record RenewalTimings(Duration leaseDuration, Duration renewDeadline, Duration retryPeriod,
		double jitterFactor) {

	/** 15 s, 10 s, 2 s and 1.2, as Kubernetes components have it. */
	public static final RenewalTimings DEFAULTS = new RenewalTimings(Duration.ofSeconds(15), Duration.ofSeconds(10),
			Duration.ofSeconds(2), 1.2);

	/**
	 * Checks the timings.
	 * @throws IllegalArgumentException if they contradict each other; the message names
	 * the values
	 */
	public RenewalTimings {
		requirePositive("leaseDuration", leaseDuration);
		requirePositive("renewDeadline", renewDeadline);
		requirePositive("retryPeriod", retryPeriod);
		if (leaseDuration.getNano() != 0 || leaseDuration.getSeconds() > Integer.MAX_VALUE) {
			throw new IllegalArgumentException("'leaseDuration' must be whole seconds, at most %d (is %s)"
				.formatted(Integer.MAX_VALUE, text(leaseDuration)));
		}
		if (renewDeadline.compareTo(leaseDuration) >= 0) {
			throw new IllegalArgumentException(
					"'renewDeadline' must be shorter than 'leaseDuration' (is %s, not below %s)"
						.formatted(text(renewDeadline), text(leaseDuration)));
		}
		if (!(jitterFactor >= 1 && jitterFactor <= 10)) {
			throw new IllegalArgumentException("'jitterFactor' must be from 1 to 10 (is %s)".formatted(jitterFactor));
		}
		Duration longestWait = times(retryPeriod, jitterFactor);
		if (longestWait.compareTo(renewDeadline) >= 0) {
			throw new IllegalArgumentException(
					"'retryPeriod' times 'jitterFactor' must be shorter than 'renewDeadline' (is %s times %s, not below %s)"
						.formatted(text(retryPeriod), jitterFactor, text(renewDeadline)));
		}
	}

	/**
	 * Returns timings in the proportions of the defaults, as far as they are not given.
	 * @param leaseDuration how long the Lease is valid after a renewal, in whole seconds
	 * @param renewDeadline the renew deadline, {@code null} for two thirds of the
	 * duration
	 * @param retryPeriod the retry period, {@code null} for two fifteenths of the
	 * duration
	 * @return the timings
	 * @throws IllegalArgumentException if they contradict each other
	 */
	public static RenewalTimings of(Duration leaseDuration, @Nullable Duration renewDeadline,
			@Nullable Duration retryPeriod) {
		return new RenewalTimings(leaseDuration,
				(renewDeadline != null) ? renewDeadline : leaseDuration.multipliedBy(2).dividedBy(3),
				(retryPeriod != null) ? retryPeriod : leaseDuration.multipliedBy(2).dividedBy(15),
				DEFAULTS.jitterFactor());
	}

	/**
	 * Returns how long to wait between two attempts.
	 * @param jitter a random number from 0 (included) to 1 (excluded)
	 * @return a wait between the retry period and its multiple by the jitter factor
	 */
	public Duration retryAfter(double jitter) {
		if (!(jitter >= 0 && jitter < 1)) {
			throw new IllegalArgumentException("'jitter' must be from 0 to less than 1 (is %s)".formatted(jitter));
		}
		return times(this.retryPeriod, 1 + jitter * (this.jitterFactor - 1));
	}

	/**
	 * Returns how long a shard may still act, for the timer that watches over the
	 * deadline.
	 * @param lastSuccess when the last successful write of the Lease was sent
	 * @param now the current moment
	 * @return the time until the Lease counts as lost; zero or negative if it does
	 */
	public Duration untilLost(Moment lastSuccess, Moment now) {
		return this.renewDeadline.minus(now.since(lastSuccess));
	}

	private static Duration times(Duration duration, double factor) {
		return Duration.ofNanos((long) (duration.toNanos() * factor));
	}

	private static void requirePositive(String name, Duration value) {
		if (value.isZero() || value.isNegative()) {
			throw new IllegalArgumentException("'%s' must be positive (is %s)".formatted(name, text(value)));
		}
	}

	private static String text(Duration duration) {
		return duration.toString().substring("PT".length()).toLowerCase(Locale.ROOT);
	}

}
