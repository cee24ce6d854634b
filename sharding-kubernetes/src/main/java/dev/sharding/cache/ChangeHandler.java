package dev.sharding.cache;

import java.util.function.Predicate;

import io.fabric8.kubernetes.api.model.HasMetadata;

import dev.sharding.internal.kubernetes.cache.Writer;

/**
 * Gets the events of a cache. What it throws is logged and has no other effect.
 *
 * @param <T> the class of the objects
 */
@FunctionalInterface
public interface ChangeHandler<T extends HasMetadata> {

	/**
	 * Takes note of an event. An event that a writer may have caused itself can come
	 * twice: first for all others, and for that writer alone once it is known that it did
	 * not; then from any thread.
	 * @param event what happened; its objects are those of the store, do not change them
	 * @param reaches tells for a {@link Writer} whether the event is for it: no own write
	 * comes back to its writer
	 */
	void onEvent(InformerEvent<T> event, Predicate<Object> reaches);

}
