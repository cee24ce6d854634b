package dev.sharding.internal.core.slot;

/**
 * What a process may do wrong although the laws are right.
 */
enum SlotFault {

	/** All do what they should. */
	NONE,

	/** A new holder acts although a touch is due. */
	ACTS_WITHOUT_TOUCH,

	/** A holder says of its touch that it is done when it gives the Lease back. */
	SAYS_THAT_IT_TOUCHED,

	/** A holder forgets a write when its answer does not come. */
	FORGETS_LOST_ANSWERS,

	/** A holder forgets the writes of its former terms. */
	FORGETS_FORMER_TERMS,

	/** A holder gives the Lease back and lets its reconcile go on. */
	GIVES_BACK_WHILE_IT_ACTS,

	/** A holder writes without a look at its Lease. */
	WRITES_WITHOUT_FENCE,

	/** A candidate writes the Lease without naming the version that it has seen. */
	TAKES_BLINDLY,

	/** A candidate takes a slot whoever leads the sharders. */
	TRUSTS_ANY_SHARDER,

	/** The sharder moves what was given back without taking the Lease. */
	MOVES_WITHOUT_LEASE,

	/** The sharder takes what was given back at once. */
	KNOWS_NO_GRACE

}
