package dev.sharding.cache;

import io.fabric8.kubernetes.api.model.HasMetadata;

/**
 * Gets the events of an informer, one at a time and in order. What it throws is logged
 * and has no other effect.
 *
 * @param <T> the class of the objects
 */
@FunctionalInterface
public interface InformerHandler<T extends HasMetadata> {

	/**
	 * Takes note of an event. The objects in it are those of the store: do not change
	 * them.
	 * @param event what happened
	 */
	void onEvent(InformerEvent<T> event);

}
