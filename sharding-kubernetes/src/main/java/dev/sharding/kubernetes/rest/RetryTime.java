package dev.sharding.kubernetes.rest;

import java.time.Duration;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

/**
 * Until when the API server wants to be left alone, as it said last. Safe for use by many
 * threads.
 */
public final class RetryTime {

	private final LongSupplier nanos;

	/** When, or {@code null} if it did not say so since its last answer. */
	private volatile @Nullable Long due;

	/**
	 * Creates it without an answer.
	 * @param nanos the monotonic clock
	 */
	public RetryTime(LongSupplier nanos) {
		this.nanos = nanos;
	}

	/**
	 * Notes a request that failed.
	 * @param failure why it failed
	 */
	public void refused(ApiException failure) {
		Duration asked = failure.retryAfter();
		if (asked != null) {
			this.due = this.nanos.getAsLong() + asked.toNanos();
		}
	}

	/** Notes a request that was answered: it may be asked again. */
	public void answered() {
		this.due = null;
	}

	/**
	 * Tells how long it wants to be left alone from now on.
	 * @return a positive duration, or {@code null} if it may be asked
	 */
	public @Nullable Duration left() {
		Long until = this.due;
		long left = (until != null) ? until - this.nanos.getAsLong() : 0;
		return (left > 0) ? Duration.ofNanos(left) : null;
	}

}
