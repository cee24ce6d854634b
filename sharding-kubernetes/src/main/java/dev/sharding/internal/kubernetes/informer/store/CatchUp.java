package dev.sharding.internal.kubernetes.informer.store;

/**
 * What it took to bring a store up to the present, cheapest first.
 */
public enum CatchUp {

	/** The API server said its present version, and the store had it. */
	PROBE,

	/** The watch told everything up to that version while more was asked for. */
	WATCH,

	/** A list of metadata said what the store must hold. */
	LIST,

	/**
	 * Versions cannot be compared, or went back as after a restore of etcd, so everything
	 * was listed.
	 */
	RELIST;

	CatchUp and(CatchUp other) {
		return (compareTo(other) < 0) ? other : this;
	}

}
