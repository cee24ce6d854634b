package dev.sharding.controller;

import io.fabric8.kubernetes.api.model.HasMetadata;

/**
 * Completes the description of a controller. A reconciler annotated with
 * {@link ShardedController} may implement it to add event filters, watches of further
 * resources, or a back-off of its own.
 *
 * @param <T> the main resource
 */
@FunctionalInterface
public interface ControllerCustomizer<T extends HasMetadata> {

	/**
	 * Changes the description.
	 * @param controller what the annotation and the properties have made of it
	 */
	void customize(ControllerSpec.Builder<T> controller);

}
