package dev.sharding.controller;

import io.fabric8.kubernetes.api.model.HasMetadata;

/**
 * Makes the world look as one object of the main resource asks for. Called whenever
 * something about the object may have changed, at most once at a time per object, from
 * several threads for different objects. It must be idempotent.
 *
 * @param <T> the main resource
 */
@FunctionalInterface
public interface Reconciler<T extends HasMetadata> {

	/**
	 * Reconciles one object. It is never called for an absent object, nor for one that
	 * another shard owns or that is being drained.
	 * @param object the freshest state that this process knows; a copy, free to be
	 * modified
	 * @return what to do next
	 * @throws Exception to have the object retried with the controller's back-off;
	 * {@link InterruptedException} or another exception when the thread is interrupted,
	 * which happens when the shard can no longer prove its Lease
	 */
	Result reconcile(T object) throws Exception;

}
