package dev.sharding.kubernetes.cache;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * A read that had to be consistent and could not be before its deadline, or before its
 * thread was interrupted.
 */
public final class ConsistentReadException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final Duration retryAfter;

	ConsistentReadException(String message, Duration retryAfter, @Nullable Throwable cause) {
		super(message, cause);
		this.retryAfter = retryAfter;
	}

	/**
	 * Returns when it is worth trying again.
	 * @return a positive duration
	 */
	public Duration retryAfter() {
		return this.retryAfter;
	}

}
