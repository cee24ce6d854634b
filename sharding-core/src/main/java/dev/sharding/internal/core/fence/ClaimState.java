package dev.sharding.internal.core.fence;

/**
 * How the claim of a shard on one main object stands. It only ever moves on.
 */
public enum ClaimState {

	/** The object is ours. */
	LIVE,

	/** Its drain is being acknowledged: one last write, which gives it away. */
	LETTING_GO,

	/** It is given away, taken away, or the Lease is lost. */
	ENDED

}
