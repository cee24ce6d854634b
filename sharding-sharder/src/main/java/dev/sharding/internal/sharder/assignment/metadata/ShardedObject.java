package dev.sharding.internal.sharder.assignment.metadata;

import java.util.Map;

import dev.sharding.internal.core.key.ShardingKey;
import dev.sharding.internal.sharder.activity.ObjectRef;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.resource.ObjectKey;
import org.jspecify.annotations.Nullable;

/**
 * What the sharder knows of one object of a ring, at one version.
 *
 * @param resource its resource
 * @param key its name
 * @param resourceVersion the version at which this was so
 * @param shardingKey what is hashed, or {@code null} if the object is not sharded
 * @param labels its sharding labels of this ring, no others
 */
public record ShardedObject(ShardedResource resource, ObjectKey key, String resourceVersion,
		@Nullable ShardingKey shardingKey, Map<String, String> labels) {

	/** The shard that the label names, or {@code null} if the object is unassigned. */
	public @Nullable String shard(String ring) {
		String shard = this.labels.get(ShardingLabels.shard(ring));
		return (shard == null || shard.isEmpty()) ? null : shard;
	}

	public ObjectId id() {
		return new ObjectId(this.resource, this.key);
	}

	/** Its name, for people. */
	public ObjectRef ref() {
		return new ObjectRef(this.resource.toString(), this.key.namespace(), this.key.name());
	}

	/**
	 * Names an object of a ring.
	 */
	public record ObjectId(ShardedResource resource, ObjectKey key) {
	}

}
