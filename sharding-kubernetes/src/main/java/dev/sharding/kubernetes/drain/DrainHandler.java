package dev.sharding.kubernetes.drain;

import io.fabric8.kubernetes.api.model.HasMetadata;

import dev.sharding.kubernetes.resource.ResourceType;

/**
 * Acknowledges the drain of an object. Called by the worker that holds the object's key:
 * no reconcile of the object is in flight, and none begins before the call has ended.
 */
@FunctionalInterface
public interface DrainHandler {

	/**
	 * Takes the shard label and the drain label off, if the object is still as it was
	 * seen.
	 * @param type the resource of the object
	 * @param object the object as it was seen, with both labels; must not be modified
	 * @return whether the object is let go; {@code false} if it has changed and must be
	 * looked at again
	 * @throws dev.sharding.kubernetes.rest.ApiException if the request failed for another
	 * reason
	 */
	boolean acknowledge(ResourceType<?> type, HasMetadata object);

}
