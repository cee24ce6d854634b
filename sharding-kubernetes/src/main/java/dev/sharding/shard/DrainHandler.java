package dev.sharding.shard;

import java.util.concurrent.CompletableFuture;

import io.fabric8.kubernetes.api.model.HasMetadata;

import dev.sharding.resource.ResourceType;

/**
 * Acknowledges the drain of an object. Called by the worker that holds the object's key:
 * no reconcile of the object is in flight, and none begins before the call has ended, or
 * what it returned is done.
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
	 * @throws dev.sharding.client.ApiException if the request failed for another reason
	 */
	boolean acknowledge(ResourceType<?> type, HasMetadata object);

	/**
	 * As {@link #acknowledge}, for a caller who does not wait: no work on the object
	 * begins before the future is done. Unless it is overridden this takes as long as
	 * {@link #acknowledge}, and so holds up the other drains of the controller.
	 * @param type the resource of the object
	 * @param object the object as it was seen, with both labels; must not be modified
	 * @return what {@link #acknowledge} returns or throws; whoever cancels it wants
	 * nothing to be sent any more
	 */
	default CompletableFuture<Boolean> begin(ResourceType<?> type, HasMetadata object) {
		try {
			return CompletableFuture.completedFuture(acknowledge(type, object));
		}
		catch (RuntimeException | Error ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

}
