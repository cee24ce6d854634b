package dev.sharding.internal.kubernetes.cache.overlay;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * How long a reader waits for an answer of the API server, and what ends the wait.
 */
public interface Deadline {

	/** Returns this, from the beginning of a read on. */
	default Deadline begun() {
		return this;
	}

	/** How long one more request may take, positive. */
	Duration left();

	/** Waits for an answer, and cancels it when nobody waits any more. */
	<R> R await(CompletableFuture<R> answer);

}
