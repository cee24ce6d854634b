package dev.sharding.cache;

import java.time.Duration;

import dev.sharding.client.RetryAfter;
import dev.sharding.internal.core.Internal;
import org.jspecify.annotations.Nullable;

/**
 * A read of a cache that was never filled: what it would have been answered is not known.
 */
public final class CacheNotFilledException extends IllegalStateException implements RetryAfter {

	private static final long serialVersionUID = 1L;

	private final Reason reason;

	@Internal
	public CacheNotFilledException(Reason reason, String message, @Nullable Throwable cause) {
		super(message, cause);
		this.reason = reason;
	}

	/**
	 * Returns why the read ended.
	 * @return the reason
	 */
	public Reason reason() {
		return this.reason;
	}

	/**
	 * Returns when it is worth trying again.
	 * @return ten seconds after a refusal, else one
	 */
	@Override
	public Duration retryAfter() {
		return Duration.ofSeconds((this.reason == Reason.REFUSED) ? 10 : 1);
	}

	/** Why a read ended. */
	public enum Reason {

		/**
		 * The caches have not started: they fill after all beans were made. To wait would
		 * be to wait for oneself.
		 */
		NOT_STARTED,

		/**
		 * The process stands by for a slot, so that nobody knows which objects it will
		 * own.
		 */
		STANDBY,

		/**
		 * With slots: the read belongs to a reconcile that began in a term which is over,
		 * and the process may own other objects by now.
		 */
		TERM_ENDED,

		/** The API server answers 403 or 404 for the resource. */
		REFUSED,

		/** The read was called on a thread that the cache needs to be filled. */
		THREAD,

		/** The deadline of the read passed. */
		DEADLINE,

		/** A {@link ReadCancellation} or an interrupt of the thread ended it. */
		CANCELLED,

		/** The caches are closed. */
		CLOSED

	}

}
