package dev.sharding.internal.kubernetes.informer.store;

import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

import dev.sharding.internal.kubernetes.informer.wire.LabelQuery;

/**
 * What one part of a store is compared with, and what feeds it.
 */
interface Upstream {

	/** The part that is fed. */
	StorePart<?> part();

	/** The version of the API server at a moment after the call. */
	CompletableFuture<String> presentVersion();

	/**
	 * Which objects there are at a moment after the call.
	 * @param notOlderThan a version that was the present one after whoever needs the list
	 * came, or {@code null} for the present one
	 * @param query what to select of them, or {@code null} for all
	 */
	CompletableFuture<MetadataSnapshot> versions(@Nullable String notOlderThan, @Nullable LabelQuery query);

	/** Decides between the whole scope and what is selected of it. */
	ScopeTurns turns();

	/** Ends a pause after failures, as the API server answers again. */
	void wake();

	/** Opens the watch anew where it stopped. */
	void reopen();

	/** Lists the scope anew as soon as possible, after a list that is under way. */
	void relist();

}
