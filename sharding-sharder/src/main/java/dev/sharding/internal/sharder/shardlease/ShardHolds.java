package dev.sharding.internal.sharder.shardlease;

import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * Gives holds on the Leases of the shards of one ring.
 */
public interface ShardHolds {

	/**
	 * Takes the Lease of a shard, or makes one, and holds it until released. Tries for as
	 * long as that may succeed; cancel the future to give up.
	 * @param shard the name of the shard
	 * @return the hold, or {@code null} if there is nothing to hold, as the shard is
	 * available or the ring is gone; never fails
	 */
	CompletableFuture<@Nullable ShardHold> hold(String shard);

	/**
	 * Takes the Lease of a shard that is available, as it does not do what it was asked
	 * for. It loses all its objects; its claims end one Lease duration after its last
	 * renewal. Returns at once, and does nothing if the shard is not available.
	 * @param shard the name of the shard
	 */
	void force(String shard);

}
