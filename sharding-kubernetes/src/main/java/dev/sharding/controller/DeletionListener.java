package dev.sharding.controller;

import io.fabric8.kubernetes.api.model.HasMetadata;

/**
 * Hears of deleted main objects. An object that merely leaves the shard's scope is not
 * reported: the API server is asked first. Deletions that happen while no process runs,
 * or while the object is between two owners, are missed: what must happen belongs into a
 * {@link Cleaner}.
 *
 * @param <T> the main resource
 */
@FunctionalInterface
public interface DeletionListener<T extends HasMetadata> {

	/**
	 * An object is gone. Not called while the object's namesake is reconciled.
	 * @param last the last state that this process knew; a copy
	 * @throws Exception to be called again with the controller's back-off
	 */
	void deleted(T last) throws Exception;

}
