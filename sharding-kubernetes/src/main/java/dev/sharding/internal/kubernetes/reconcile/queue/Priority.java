package dev.sharding.internal.kubernetes.reconcile.queue;

/**
 * The order in which a work queue serves its keys, most urgent first. Keys of one
 * priority are served first in, first out; a lower priority waits until no higher one is
 * left, but for no more than ten turns of those.
 */
public enum Priority {

	/** Somebody waits for us to let the object go: a drain. */
	HIGH,

	/** Something changed. */
	NORMAL,

	/** Nothing is known to have changed: initial list, take-over, resync. */
	LOW;

	boolean isMoreUrgentThan(Priority other) {
		return ordinal() < other.ordinal();
	}

	Priority moreUrgentOf(Priority other) {
		return other.isMoreUrgentThan(this) ? other : this;
	}

}
