package dev.sharding.internal.core.assignment;

import java.util.Map;
import java.util.Set;

import dev.sharding.internal.core.key.ShardingKey;
import dev.sharding.protocol.ShardingLabels;
import org.jspecify.annotations.Nullable;

/**
 * What the sharder knows of an object and of its ring.
 *
 * @param labels the labels of the object, or {@code null} if it has none
 * @param ringName the name of the ControllerRing
 * @param role how the ring lists the resource of the object
 * @param key the sharding key of the object, or {@code null} if it is not sharded
 * @param ring the hash ring of all available shards; a shard that is not on it is
 * unavailable
 * @param handOver how far the hand-over of the main object is
 * @param paused whether main objects stay with their available owners for now
 * @param givenBack those of the available shards that nobody holds at the moment, as
 * their Leases were given back and wait for the next holder
 */
public record AssignmentFacts(@Nullable Map<String, String> labels, String ringName, ResourceRole role,
		@Nullable ShardingKey key, HashRing ring, HandOver handOver, boolean paused, Set<String> givenBack) {

	/**
	 * Facts about a ring whose available shards all have a holder.
	 * @param labels the labels of the object, or {@code null} if it has none
	 * @param ringName the name of the ControllerRing
	 * @param role how the ring lists the resource of the object
	 * @param key the sharding key of the object, or {@code null} if it is not sharded
	 * @param ring the hash ring of all available shards
	 * @param handOver how far the hand-over of the main object is
	 * @param paused whether main objects stay with their available owners for now
	 */
	public AssignmentFacts(@Nullable Map<String, String> labels, String ringName, ResourceRole role,
			@Nullable ShardingKey key, HashRing ring, HandOver handOver, boolean paused) {
		this(labels, ringName, role, key, ring, handOver, paused, Set.of());
	}

	/**
	 * Returns the shard that the object is assigned to.
	 * @return the name of the shard, or {@code null} if the object is unassigned
	 */
	public @Nullable String currentShard() {
		String shard = (this.labels != null) ? this.labels.get(ShardingLabels.shard(this.ringName)) : null;
		return (shard == null || shard.isEmpty()) ? null : shard;
	}

	boolean isDrainRequested() {
		return this.labels != null && this.labels.containsKey(ShardingLabels.drain(this.ringName));
	}

}
