package dev.sharding.judge;

/** What the judge counts. Each of them is zero in a run without a fault. */
public enum Counter {

	/**
	 * Objects whose shard label differs, at a quiescent point, from the judge's own ring.
	 */
	WRONG_OWNER("wrongOwner"),

	/**
	 * Objects that no available shard owned for more than a second plus 5 ms for each
	 * object that changed its owner in that step.
	 */
	UNASSIGNED("unassigned"),

	/**
	 * Mutating requests of a shard for a main object or a derived one that were received
	 * after the request that ended its ownership completed, plus its requests for objects
	 * that it never owned. A request for a main object that the API server refused, as
	 * another was first, does not count: a late acknowledgement harms nobody.
	 */
	DOUBLE_RECONCILED("doubleReconciled"),

	/**
	 * Mutating requests of a shard's process, other than on Leases, that were received
	 * later than its last successful Lease write plus the duration written in it, and
	 * those for objects of the ring after another process of that name wrote the Lease. A
	 * request without a body, which its sender kept back in the end, writes nothing.
	 */
	WRITES_AFTER_LEASE_END("writesAfterLeaseEnd"),

	/**
	 * Main objects whose derived object is not made from their last version ten seconds
	 * after all is quiet.
	 */
	LOST_UPDATES("lostUpdates"),

	/**
	 * Objects that somebody else took from a shard without its acknowledgement, at a
	 * moment at which the sharder did not hold the Lease of that shard: there may have
	 * been two owners.
	 */
	TAKEN_FROM_LIVE_OWNER("takenFromLiveOwner"),

	/**
	 * Main objects that got another owner before their derived objects did.
	 */
	MOVED_BEFORE_DERIVED("movedBeforeDerived");

	private final String key;

	Counter(String key) {
		this.key = key;
	}

	/** Its name in the verdict. */
	public String key() {
		return this.key;
	}

}
