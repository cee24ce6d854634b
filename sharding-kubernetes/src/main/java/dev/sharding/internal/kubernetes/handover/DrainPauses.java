package dev.sharding.internal.kubernetes.handover;

import java.time.Duration;

import dev.sharding.client.ApiException;
import dev.sharding.controller.Backoff;
import dev.sharding.shard.WriteFencedException;

/**
 * How long to wait after an acknowledgement of a drain that has failed. Until it succeeds
 * nobody reconciles the object, so what passes by itself is tried again soon.
 */
public final class DrainPauses {

	/** For what passes by itself. */
	public static final Duration SOON = Duration.ofSeconds(1);

	/*
	 * It comes back soon after the rights or the webhook that keep it are mended,
	 * whatever the back-off of reconciles.
	 */
	public static final Backoff BACKOFF = new Backoff(SOON, Duration.ofSeconds(30), 0.2);

	private static final int TOO_MANY_REQUESTS = 429;

	private static final int SERVER_ERROR = 500;

	private DrainPauses() {
	}

	/**
	 * Tells whether nobody need hear of it: the API server is ill, or the term is over.
	 * @param failure why the object was not let go
	 * @return whether it passes by itself
	 */
	public static boolean isPassing(RuntimeException failure) {
		// A 404 that comes here names no object: a proxy, or the resource is not served.
		return WriteFencedException.isIn(failure) || (failure instanceof ApiException refusal && (!refusal.isAnswered()
				|| refusal.isNotFound() || refusal.status() == TOO_MANY_REQUESTS || refusal.status() >= SERVER_ERROR));
	}

	/**
	 * Says when to try again.
	 * @param failure why the object was not let go
	 * @param failures how many there have been in a row, this one included
	 * @param random the share of the jitter to use, 0 to 1
	 * @return the pause
	 */
	public static Duration after(RuntimeException failure, int failures, double random) {
		Duration asked = (failure instanceof ApiException refusal) ? refusal.retryAfter() : null;
		Duration wait = isPassing(failure) ? SOON : Duration.ofNanos(BACKOFF.delayNanos(failures, random));
		return (asked != null && asked.compareTo(wait) > 0) ? asked : wait;
	}

}
