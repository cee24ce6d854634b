package dev.sharding.controller;

import io.fabric8.kubernetes.api.model.HasMetadata;

/**
 * The clean-up hook of a controller: what must happen before an object may vanish. A
 * {@link Reconciler} that also implements it gets its finalizer added before the first
 * reconcile of an object; once the object is being deleted, {@link #cleanUp} is called
 * instead of {@code reconcile} until it is done, then the finalizer is removed. This is
 * the only safe way to react to a deletion: a shard also stops seeing objects that merely
 * moved to another shard.
 *
 * @param <T> the main resource
 */
public interface Cleaner<T extends HasMetadata> {

	/**
	 * The finalizer, a qualified name such as {@code example.com/checksums}. It must be
	 * the same in every shard and every version of the controller.
	 * @return the finalizer
	 */
	String finalizer();

	/**
	 * Cleans up after one object that is being deleted. It must be idempotent.
	 * @param object the freshest state that this process knows; a copy, free to be
	 * modified
	 * @return {@link Result#done()} to let the object go, anything else to be called
	 * again
	 * @throws Exception to be called again with the controller's back-off
	 */
	Result cleanUp(T object) throws Exception;

}
