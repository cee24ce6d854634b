package dev.sharding.internal.kubernetes.reconcile;

import java.time.Duration;
import java.time.Instant;

import dev.sharding.resource.GroupResource;
import dev.sharding.resource.ObjectKey;

/**
 * An object that left a shard or came to it while the shard was at work.
 *
 * @param resource its resource, a main one
 * @param key the object
 * @param kind which way it went
 * @param at when it was done, on the wall clock
 * @param took from the moment at which the shard learnt of it: of a drain, until it was
 * acknowledged, of an object that came, until its first reconcile had ended
 */
public record Move(GroupResource resource, ObjectKey key, Kind kind, Instant at, Duration took) {

	/**
	 * Which way an object went.
	 */
	public enum Kind {

		/** The shard acknowledged its drain. */
		DRAINED,

		/**
		 * The shard reconciled it for the first time. It came from another shard or is
		 * new; the shard cannot tell.
		 */
		TAKEN_OVER

	}

}
