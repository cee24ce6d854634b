package dev.sharding.judge;

/** What the judge counts. Each of them is zero in a run without a fault. */
public enum Counter {

	/**
	 * Objects whose shard label differs, at a quiescent point, from the judge's own ring.
	 */
	WRONG_OWNER("wrongOwner"),

	/**
	 * Objects that no available shard owned for more than a second while a sharder led. A
	 * shard is not available once it has not renewed its Lease for two durations. Those
	 * of a shard that was given back wait for its next holder as long as its grace lasts.
	 */
	UNASSIGNED("unassigned"),

	/**
	 * Requests of a shard for a main object or a derived one that took effect after
	 * another shard had got it, plus its requests for objects that it never owned.
	 */
	DOUBLE_RECONCILED("doubleReconciled"),

	/**
	 * Requests of a shard's process, other than on Leases, that took effect after its
	 * Lease had ended and the sharder, or another process of that name, had it. A request
	 * without a body, which its sender kept back in the end, writes nothing.
	 */
	WRITES_AFTER_LEASE_END("writesAfterLeaseEnd"),

	/**
	 * Main objects whose derived object is not made from their last version ten seconds
	 * after all is quiet, and writes of shards and sharders that change what users wrote.
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
	MOVED_BEFORE_DERIVED("movedBeforeDerived"),

	/**
	 * Leases of shards that the sharder took before two durations had passed since their
	 * last renewal, before one had since their shard had written them, or before the
	 * grace of one that was given back was over; and those that another process of the
	 * shard took before one duration had passed.
	 */
	LEASE_STOLEN("leaseStolen"),

	/**
	 * Requests of a sharder for objects or Leases of the ring that took effect while it
	 * did not lead.
	 */
	ACTED_WITHOUT_LEAD("actedWithoutLead"),

	/**
	 * Requests of a shard or a sharder that came after its claim, its Lease or its lead
	 * had ended and that did no harm, as they were refused or nobody else could act yet,
	 * beyond one for each worker of a process that was stopped then.
	 */
	LATE_WRITES("lateWrites"),

	/**
	 * Changes of main objects that their owner, which was alive and undisturbed all that
	 * time, had not served after two seconds.
	 */
	UNSERVED("unserved"),

	/**
	 * Objects that a new owner, which was alive and undisturbed all that time, had
	 * written nothing for after two seconds although their derived object was not up to
	 * date.
	 */
	UNTOUCHED("untouched"),

	/**
	 * Lists and watches of a shard that ask for more than what bears its own label.
	 */
	READS_OF_OTHERS("readsOfOthers"),

	/**
	 * Requests of a shard or of a sharder that the API server refused for want of a right
	 * while nobody had taken it.
	 */
	FORBIDDEN("forbidden"),

	/**
	 * Writes of a shard's process that were decided on a state of a derived object from
	 * before a write of its own that had been answered.
	 */
	OWN_WRITES_UNREAD("ownWritesUnread"),

	/**
	 * Derived objects that a process made from an older version of their main object than
	 * it had before.
	 */
	WENT_BACK("wentBack"),

	/**
	 * Objects that a consistent read of a shard showed in a state that was not theirs at
	 * any moment of the read, or did not show.
	 */
	STALE_READS("staleReads"),

	/**
	 * Consistent reads of a shard, which was alive and undisturbed all that time, that
	 * failed, or were not answered after two seconds.
	 */
	FAILED_READS("failedReads"),

	/**
	 * Main objects that wait for their finalizers although their owner is alive, those
	 * that it lets go before what it has made of them, and what is left at the end of
	 * those that are gone.
	 */
	LEFT_BEHIND("leftBehind"),

	/**
	 * Changes of the labels that say who owns an object that do not say which version
	 * they were decided on.
	 */
	WITHOUT_VERSION("withoutVersion"),

	/**
	 * Processes that listed and watched a resource more often than what happened to them
	 * explains.
	 */
	TOO_MANY_LISTS("tooManyLists"),

	/**
	 * Writes of a shard or a sharder that stored nothing new, and patches of a sharder
	 * that changed nobody's owner.
	 */
	NEEDLESS_WRITES("needlessWrites"),

	/**
	 * Disturbances that a mark began and that no mark had ended by the next quiescent
	 * point, or at the end: what they excuse is more than was done.
	 */
	OPEN_EXCUSES("openExcuses");

	private final String key;

	Counter(String key) {
		this.key = key;
	}

	/** Its name in the verdict. */
	public String key() {
		return this.key;
	}

}
