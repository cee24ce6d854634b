package dev.sharding.internal.kubernetes.reconcile;

import java.time.Duration;

import io.fabric8.kubernetes.client.KubernetesClientException;
import org.jspecify.annotations.Nullable;

import dev.sharding.client.ApiException;
import dev.sharding.client.QosLimitedException;
import dev.sharding.client.RetryAfter;
import dev.sharding.shard.WriteFencedException;

/**
 * What the work on an object ended with when it threw, as far as the queue is concerned.
 * Exceptions are user code: whatever they are made of, reading them ends.
 *
 * @param kind what it means
 * @param atLeast how long the object must wait at least; zero if nobody said so
 */
record Failure(Kind kind, Duration atLeast) {

	/* A chain of causes may be a circle. */
	private static final int DEEPEST_CAUSE = 20;

	private static final int CONFLICT = 409;

	/**
	 * Reads what was thrown.
	 * @param thrown what was thrown
	 * @return what it means
	 */
	static Failure of(Throwable thrown) {
		try {
			return read(thrown);
		}
		catch (Throwable ex) {
			return new Failure(Kind.ERROR, Duration.ZERO);
		}
	}

	private static Failure read(Throwable thrown) {
		Kind kind = isConflict(thrown) ? Kind.CONFLICT : Kind.ERROR;
		Duration wait = null;
		Throwable cause = thrown;
		for (int depth = 0; cause != null && depth < DEEPEST_CAUSE; depth++) {
			if (cause instanceof WriteFencedException) {
				return new Failure(Kind.FENCED, Duration.ZERO);
			}
			Duration asked = positive(asked(cause));
			wait = (wait != null) ? wait : asked;
			if (asked != null && isRefusal(cause)) {
				kind = Kind.LIMITED;
			}
			cause = cause.getCause();
		}
		return new Failure(kind, (wait != null) ? wait : Duration.ZERO);
	}

	private static @Nullable Duration asked(Throwable cause) {
		if (cause instanceof KubernetesClientException other && other.getStatus() != null
				&& other.getStatus().getDetails() != null
				&& other.getStatus().getDetails().getRetryAfterSeconds() != null) {
			return RetryAfter.ofSeconds(other.getStatus().getDetails().getRetryAfterSeconds());
		}
		return (cause instanceof RetryAfter hint) ? hint.retryAfter() : null;
	}

	private static @Nullable Duration positive(@Nullable Duration asked) {
		return (asked == null || asked.isNegative() || asked.isZero()) ? null : asked;
	}

	/* Whatever the status: a webhook that denies a write for now chooses its own. */
	private static boolean isRefusal(Throwable cause) {
		return cause instanceof QosLimitedException || cause instanceof KubernetesClientException
				|| (cause instanceof ApiException answer && answer.isAnswered());
	}

	private static boolean isConflict(Throwable thrown) {
		return (thrown instanceof ApiException refused && refused.status() == CONFLICT)
				|| (thrown instanceof KubernetesClientException other && other.getCode() == CONFLICT);
	}

	/** What it means for the object. */
	enum Kind {

		/** A write was held back, as the shard may not write for the object. */
		FENCED,

		/**
		 * A limit, the API server or a webhook said when to come back: no failure of the
		 * object.
		 */
		LIMITED,

		/** The object had changed meanwhile: a failure that mends itself. */
		CONFLICT,

		/** A failure. */
		ERROR

	}

}
