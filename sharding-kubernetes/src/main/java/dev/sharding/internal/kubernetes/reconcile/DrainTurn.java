package dev.sharding.internal.kubernetes.reconcile;

/**
 * Who acknowledges the drain of an object when several controllers of one process have
 * the same main resource: the first of them, and only when all others have seen the drain
 * label and none works on the object. Each of them looks at the label before it begins a
 * reconcile, so once none is at work, none will be.
 */
enum DrainTurn {

	/** Acknowledge. */
	OURS,

	/** Another controller still works on the object: look again soon. */
	LATER,

	/** Another controller acknowledges. */
	OTHERS

}
