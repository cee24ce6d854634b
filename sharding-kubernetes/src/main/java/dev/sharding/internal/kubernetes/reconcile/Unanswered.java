package dev.sharding.internal.kubernetes.reconcile;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What the workers of a controller have begun and do not wait for. Safe for use by many
 * threads.
 */
final class Unanswered {

	private final Set<CompletableFuture<?>> outcomes = ConcurrentHashMap.newKeySet();

	void add(CompletableFuture<?> outcome) {
		this.outcomes.add(outcome);
	}

	/** It is done. */
	void remove(CompletableFuture<?> outcome) {
		this.outcomes.remove(outcome);
	}

	/** Calls off what is not done. */
	void cancel() {
		this.outcomes.forEach((outcome) -> outcome.cancel(true));
	}

}
