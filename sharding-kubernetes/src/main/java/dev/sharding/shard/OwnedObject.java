package dev.sharding.shard;

import org.jspecify.annotations.Nullable;

import dev.sharding.internal.core.key.ShardingKey;
import dev.sharding.resource.ObjectKey;

/**
 * An object that a shard owns, and why.
 *
 * @param key the object
 * @param shardingKey what is hashed to find its shard: its own identity, or that of its
 * controller; {@code null} if it has none, so that it bears its label for another reason
 * @param draining whether the sharder wants it back
 */
public record OwnedObject(ObjectKey key, @Nullable ShardingKey shardingKey, boolean draining) {
}
