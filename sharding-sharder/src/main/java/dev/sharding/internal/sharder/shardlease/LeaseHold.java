package dev.sharding.internal.sharder.shardlease;

import java.util.List;

/**
 * A hold on all Leases that stand for one shard. With none, there cannot be a process of
 * that shard.
 */
final class LeaseHold implements ShardHold {

	private final String shard;

	private final List<HoldTerm> tenures;

	private final Runnable release;

	LeaseHold(String shard, List<HoldTerm> tenures, Runnable release) {
		this.shard = shard;
		this.tenures = tenures;
		this.release = release;
	}

	@Override
	public String shard() {
		return this.shard;
	}

	@Override
	public long number() {
		return this.tenures.stream().mapToLong(HoldTerm::number).max().orElse(0);
	}

	@Override
	public boolean isValid() {
		return this.tenures.stream().allMatch(HoldTerm::isValid);
	}

	@Override
	public void release() {
		this.release.run();
	}

}
