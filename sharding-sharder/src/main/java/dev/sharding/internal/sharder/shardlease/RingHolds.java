package dev.sharding.internal.sharder.shardlease;

import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * The holds of one ring.
 */
record RingHolds(ShardLeases leases, String ring) implements ShardHolds {

	@Override
	public CompletableFuture<@Nullable ShardHold> hold(String shard) {
		return this.leases.hold(this.ring, shard);
	}

	@Override
	public void force(String shard) {
		this.leases.force(this.ring, shard);
	}

}
