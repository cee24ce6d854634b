package dev.sharding.kubernetes.reconcile;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;

/**
 * What the workers of a controller have begun and do not wait for: so much at a time at
 * most. Safe for use by many threads.
 */
final class Unanswered {

	private final Semaphore room;

	private final Set<CompletableFuture<?>> outcomes = ConcurrentHashMap.newKeySet();

	Unanswered(int most) {
		this.room = new Semaphore(most);
	}

	/**
	 * Waits until there is room for one more.
	 * @throws InterruptedException if the thread was interrupted while it waited
	 */
	void add(CompletableFuture<?> outcome) throws InterruptedException {
		this.room.acquire();
		this.outcomes.add(outcome);
	}

	/** It is done. */
	void remove(CompletableFuture<?> outcome) {
		this.outcomes.remove(outcome);
		this.room.release();
	}

	/** Calls off what is not done. */
	void cancel() {
		this.outcomes.forEach((outcome) -> outcome.cancel(true));
	}

}
