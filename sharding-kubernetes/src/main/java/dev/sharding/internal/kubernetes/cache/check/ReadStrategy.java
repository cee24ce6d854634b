package dev.sharding.internal.kubernetes.cache.check;

/**
 * How a consistent list of a resource comes by.
 */
public enum ReadStrategy {

	/**
	 * The API server tells its present version, or which objects there are in which
	 * versions, and memory answers once it has caught up. Reads only; the default.
	 */
	VALIDATED,

	/**
	 * A marker object in the scope is written, and memory answers once the watch has told
	 * of it. The cheapest where there are many objects, but it writes: one write for all
	 * who wait, and an event for everybody who watches the resource. Needs the rights to
	 * create and patch. The marker is in the cache like any other object.
	 */
	BARRIER,

	/** The API server lists the objects; for small scopes. */
	LIVE

}
