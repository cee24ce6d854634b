package dev.sharding.internal.sharder.diagnosis;

import java.time.Instant;
import java.util.Map;

import dev.sharding.internal.core.assignment.ResourceRole;
import dev.sharding.internal.core.key.ShardingKey;
import dev.sharding.protocol.ShardingLabels;
import org.jspecify.annotations.Nullable;

/**
 * What the metadata of an object tells.
 *
 * @param resource its resource, such as {@code deployments.apps}
 * @param role how the ring lists that
 * @param namespace its namespace, empty for none
 * @param name its name
 * @param key its sharding key; {@code null} if it is not sharded
 * @param labels its labels
 * @param changed when it was written last, as far as that is known
 * @param shardSince since when it has the shard label that it has, if it has one and that
 * is known
 * @param drainSince since when its owner is asked to let go of it, if that is so and
 * known
 */
public record ObservedObject(String resource, ResourceRole role, String namespace, String name,
		@Nullable ShardingKey key, Map<String, String> labels, @Nullable Instant changed, @Nullable Instant shardSince,
		@Nullable Instant drainSince) {

	/**
	 * Returns the shard that the object is assigned to.
	 * @param ring the name of the ring
	 * @return the name of the shard, or {@code null} if nobody has the object
	 */
	public @Nullable String shard(String ring) {
		String shard = this.labels.get(ShardingLabels.shard(ring));
		return (shard == null || shard.isEmpty()) ? null : shard;
	}

	/**
	 * Tells whether the owner is asked to let go of the object.
	 * @param ring the name of the ring
	 * @return {@code true} if it bears the drain label
	 */
	public boolean isDraining(String ring) {
		return this.labels.containsKey(ShardingLabels.drain(ring));
	}

	/**
	 * Names the object for people.
	 * @return namespace and name
	 */
	public String path() {
		return this.namespace.isEmpty() ? this.name : this.namespace + "/" + this.name;
	}

	@Override
	public String toString() {
		return this.resource + " " + path();
	}

}
