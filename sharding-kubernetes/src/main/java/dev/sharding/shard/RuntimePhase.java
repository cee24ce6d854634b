package dev.sharding.shard;

/**
 * What a group of controllers is about, in the order of a good start.
 */
public enum RuntimePhase {

	/** Not started, or stopped. */
	STOPPED,

	/**
	 * Its caches fill: for the first time, or, with slots, with the objects of a slot
	 * whose Lease it holds.
	 */
	SYNCING,

	/**
	 * It has no slot, and is ready to take one over; its name is not known, and it has
	 * none of the ring's objects.
	 */
	STANDBY,

	/** It tries to get its Lease, or to get it back. */
	ACQUIRING,

	/**
	 * It holds its Lease and makes its caches consistent with the beginning of the term.
	 */
	REFRESHING,

	/** It reconciles. */
	RUNNING,

	/**
	 * An informer has failed for too long: it gave its Lease back and waits for recovery.
	 */
	ISOLATED,

	/** It cannot hold its Lease, and trying on would do harm. */
	FAILED,

	/** It waits for the last reconciles, and then gives its Lease back. */
	STOPPING

}
