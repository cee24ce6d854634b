package dev.sharding.internal.kubernetes.rest;

import java.time.Duration;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

import dev.sharding.client.ApiException;

/**
 * Until when the API server wants to be left alone: the latest time that it named since
 * its last answer. Safe for use by many threads.
 */
public final class RetryTime {

	private final LongSupplier nanos;

	/** When, or {@code null} if it did not say so since its last answer. */
	private @Nullable Long due;

	/**
	 * Creates it without an answer.
	 * @param nanos the monotonic clock
	 */
	public RetryTime(LongSupplier nanos) {
		this.nanos = nanos;
	}

	/**
	 * Notes a request that failed. It makes no earlier time of a later one.
	 * @param failure why it failed
	 * @return how long to wait before it is sent again, whatever is answered meanwhile,
	 * or {@code null} if nothing is known
	 */
	public synchronized @Nullable Duration refused(ApiException failure) {
		Duration asked = failure.retryAfter();
		Duration left = left();
		if (asked != null && (left == null || asked.compareTo(left) > 0)) {
			this.due = this.nanos.getAsLong() + asked.toNanos();
			return asked;
		}
		return left;
	}

	/** Notes a request that was answered: it may be asked again. */
	public synchronized void answered() {
		this.due = null;
	}

	/**
	 * Tells how long it wants to be left alone from now on.
	 * @return a positive duration, or {@code null} if it may be asked
	 */
	public synchronized @Nullable Duration left() {
		Long until = this.due;
		long left = (until != null) ? until - this.nanos.getAsLong() : 0;
		return (left > 0) ? Duration.ofNanos(left) : null;
	}

}
