package dev.sharding.internal.kubernetes.cache.read;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.fabric8.kubernetes.api.model.HasMetadata;
import org.jspecify.annotations.Nullable;

import dev.sharding.internal.kubernetes.cache.check.ReadStrategy;
import dev.sharding.internal.kubernetes.informer.wire.LabelQuery;

/**
 * One {@link ReadStrategy} for one resource. Reads that are asked for at the same time
 * share work, but only such as was begun after they came.
 */
public interface ConsistentReadSource<T extends HasMetadata> {

	/**
	 * Begins a read.
	 * @return completes when there is something to read from; cancel it to wait no longer
	 */
	CompletableFuture<Snapshot<T>> read();

	/**
	 * Begins a read of what a selector selects. What the view shows besides that need not
	 * be the latest, nor be there.
	 * @param query the selector
	 * @return as {@link #read()}
	 */
	default CompletableFuture<Snapshot<T>> read(LabelQuery query) {
		return read();
	}

	/** The strategy, for the meters. */
	ReadStrategy strategy();

	/** How long the API server wants to be left alone, or {@code null}. */
	@Nullable Duration retryAfter();

}
