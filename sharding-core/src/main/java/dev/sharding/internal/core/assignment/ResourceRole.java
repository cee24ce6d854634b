package dev.sharding.internal.core.assignment;

/**
 * How a ControllerRing lists the resource of an object. A resource that is listed both
 * ways is a main resource.
 */
public enum ResourceRole {

	/** The resource that the shards reconcile. */
	MAIN,

	/** A resource whose objects follow the main object that controls them. */
	CONTROLLED

}
