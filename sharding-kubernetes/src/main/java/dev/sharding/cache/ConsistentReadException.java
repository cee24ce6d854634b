package dev.sharding.cache;

import java.time.Duration;

import dev.sharding.client.RetryAfter;
import dev.sharding.internal.core.Internal;
import org.jspecify.annotations.Nullable;

/**
 * A read that had to be consistent and could not be.
 */
public final class ConsistentReadException extends RuntimeException implements RetryAfter {

	private static final long serialVersionUID = 1L;

	private final Reason reason;

	private final Duration retryAfter;

	@Internal
	public ConsistentReadException(Reason reason, String message, Duration retryAfter, @Nullable Throwable cause) {
		super(message, cause);
		this.reason = reason;
		this.retryAfter = retryAfter;
	}

	/**
	 * Returns why the read ended.
	 * @return the reason
	 */
	public Reason reason() {
		return this.reason;
	}

	/**
	 * Returns when it is worth trying again: what the API server asked for, or one
	 * second.
	 * @return a positive duration
	 */
	@Override
	public Duration retryAfter() {
		return this.retryAfter;
	}

	/** Why a read ended. */
	public enum Reason {

		/** Its deadline passed. */
		DEADLINE,

		/** The API server could not be asked, or refused. */
		REFUSED,

		/** A {@link ReadCancellation} or an interrupt of the thread ended it. */
		CANCELLED,

		/**
		 * It was called on a thread that the answer needs: that of an index function or a
		 * handler of the same cache, or one of the transport.
		 */
		THREAD

	}

}
