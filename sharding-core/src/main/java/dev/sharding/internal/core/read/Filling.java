package dev.sharding.internal.core.read;

/** How far memory is with its first list of a scope. */
public enum Filling {

	/** Nobody has begun to list. */
	NOT_STARTED,

	/** The list is under way, or is tried again after a failure. */
	FILLING,

	/**
	 * The API server answered that there is no such resource, or that nobody here may
	 * read it. It is asked again from time to time.
	 */
	REFUSED,

	/** It was there once. */
	FILLED,

	/** It will not come any more. */
	CLOSED

}
