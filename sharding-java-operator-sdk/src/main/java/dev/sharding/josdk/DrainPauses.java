package dev.sharding.josdk;

import java.time.Duration;

import dev.sharding.client.ApiException;
import dev.sharding.controller.Backoff;
import dev.sharding.shard.WriteFencedException;

/**
 * How long to wait after an acknowledgement of a drain that has failed. Until it succeeds
 * nobody reconciles the object, so what passes by itself is tried again soon.
 */
final class DrainPauses {

	private static final Duration SOON = Duration.ofSeconds(1);

	/** As that of a shard's own controllers. */
	private static final Backoff BACKOFF = new Backoff(SOON, Duration.ofSeconds(30), 0.2);

	private static final int TOO_MANY_REQUESTS = 429;

	private static final int SERVER_ERROR = 500;

	private DrainPauses() {
	}

	/** Whether nobody need hear of it: the API server is ill, or the term is over. */
	static boolean isPassing(RuntimeException failure) {
		return WriteFencedException.isIn(failure) || (failure instanceof ApiException refusal && (!refusal.isAnswered()
				|| refusal.isNotFound() || refusal.status() == TOO_MANY_REQUESTS || refusal.status() >= SERVER_ERROR));
	}

	/**
	 * Says when to try again.
	 * @param failures how many there have been in a row, this one included
	 * @param random the share of the jitter to use, 0 to 1
	 */
	static Duration after(RuntimeException failure, int failures, double random) {
		Duration asked = (failure instanceof ApiException refusal) ? refusal.retryAfter() : null;
		Duration wait = isPassing(failure) ? SOON : Duration.ofNanos(BACKOFF.delayNanos(failures, random));
		return (asked != null && asked.compareTo(wait) > 0) ? asked : wait;
	}

}
