package dev.sharding.internal.core.fence;

/**
 * What a write must pass.
 */
public enum FenceGate {

	/** The shard can prove that it holds its Lease. */
	LEASE,

	/** The shard has a live claim on the object. */
	OBJECT

}
