package dev.sharding.internal.core.assignment;

/**
 * What a process may do wrong although the laws are right.
 */
enum DrainFault {

	/** All do what they should. */
	NONE,

	/** A shard lets go while a reconcile runs. */
	LETS_GO_AT_WORK,

	/** A shard lets go of whatever version there is. */
	LETS_GO_BLINDLY,

	/** A shard begins before its caches show what the former owner made. */
	BEGINS_WITHOUT_REFRESH,

	/** A shard writes as long as it has not heard that its Lease is lost. */
	WRITES_WITHOUT_FENCE,

	/** A new process of a name begins without a touch. */
	ACTS_WITHOUT_TOUCH,

	/** The sharder gives the main object away before what that controls. */
	GIVES_MAIN_FIRST,

	/** The sharder looks for what is controlled before the owner has let go. */
	LISTS_TOO_EARLY,

	/** The sharder does not ask the next ring about what it has moved already. */
	FORGETS_THE_NEXT_RING,

	/** The sharder takes a move that nobody answered for one that never was. */
	FORGETS_WHAT_IS_UNANSWERED,

	/** The sharder gives the main object away while a pass moves what that controls. */
	OVERTAKES_A_PASS,

	/** The sharder takes from a shard that is not available without its Lease. */
	MOVES_WITHOUT_HOLD,

	/** The sharder gives a Lease back while something is on its way. */
	ENDS_HOLD_TOO_EARLY,

	/** The sharder takes a Lease that is renewed. */
	TAKES_LIVE_LEASE,

	/**
	 * The sharder takes what is controlled from an owner that may have the main object.
	 */
	TAKES_WITHOUT_LOOK,

	/**
	 * What a sharder has sent while it led arrives when the next one leads, so that it
	 * must have been sent after the margin before the end of its own Lease.
	 */
	FORMER_LEADER_IS_LATE,

	/**
	 * Nobody does wrong: a create names no version, and one that nobody answered may
	 * arrive when another shard has the main object.
	 */
	CREATES_WITHOUT_ANSWER,

	/**
	 * Nobody does wrong: a shard is given the main object by a patch that arrives when it
	 * is gone, and what the object controls is with its next owner already.
	 */
	GIVES_MAIN_WITHOUT_ANSWER,

	/**
	 * Nobody does wrong: the sharder stands still for a Lease in the middle of a
	 * fail-over, and the shard that comes back finds its main object alone.
	 */
	COMES_BACK_HALFWAY

}
