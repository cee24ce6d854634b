package dev.sharding.internal.core.lease;

/**
 * One process of one shard.
 *
 * @param shard the name of the shard, which is the name of its Lease
 * @param instanceId a random id, new with each start of the process; tells two processes
 * of one shard name apart
 */
public record ShardIdentity(String shard, String instanceId) {

	/**
	 * Tells whether this very process holds a Lease.
	 * @param lease what the Lease says
	 * @return {@code true} if shard name and instance id are ours
	 */
	public boolean holds(LeaseRecord lease) {
		return this.shard.equals(lease.holderIdentity()) && this.instanceId.equals(lease.instanceId());
	}

}
