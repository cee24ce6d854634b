package dev.sharding.internal.kubernetes.cache.overlay;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.fabric8.kubernetes.api.model.HasMetadata;
import org.jspecify.annotations.Nullable;

import dev.sharding.internal.core.read.ResourceVersions;
import dev.sharding.resource.ObjectKey;

/**
 * What the overlay of one feed wants to know from the API server. Each answer is of a
 * moment after the question.
 */
public interface ScopeQuestions<T extends HasMetadata> {

	/**
	 * Lists one object or, without a key, the scope.
	 * @param limit how long the API server may take
	 * @return the answer; to cancel it ends the exchange
	 */
	CompletableFuture<Answer<T>> find(@Nullable ObjectKey key, Duration limit);

	/**
	 * Lists which objects of the scope there are, in which versions.
	 * @param limit how long the API server may take
	 * @return the answer; to cancel it ends the exchange
	 */
	CompletableFuture<Listing> list(Duration limit);

	/** Learns the version of the moment. */
	CompletableFuture<String> version();

	/**
	 * A list.
	 *
	 * @param objects what it shows
	 * @param unfit what it shows that does not fit its class
	 * @param version what it stands for
	 */
	record Answer<T>(Collection<T> objects, Set<ObjectKey> unfit, String version) {

		/** Whether it says how it relates to what the informer tells. */
		boolean isComparable() {
			return ResourceVersions.isComparable(this.version);
		}

	}

	/**
	 * A list of versions.
	 *
	 * @param versions the version of each object
	 * @param version what it stands for
	 */
	record Listing(Map<ObjectKey, String> versions, String version) {
	}

}
