package dev.sharding.internal.kubernetes.handover;

import java.util.concurrent.CompletableFuture;

import dev.sharding.internal.kubernetes.cache.InformerCaches;

/**
 * What a group of controllers does between the acquire of its Lease and its first
 * reconcile. There is one right thing to do, {@link #REFRESH}; another one serves only to
 * show, in a test, that it is needed.
 */
@FunctionalInterface
public interface TermStart {

	/** Makes every cache consistent by a read that begins now. */
	TermStart REFRESH = InformerCaches::refresh;

	/**
	 * Prepares a term.
	 * @param caches the caches of the group
	 * @return completes when reconciles may begin
	 */
	CompletableFuture<Void> prepare(InformerCaches caches);

}
