package dev.sharding.internal.kubernetes.cache.overlay;

import java.util.Set;

import dev.sharding.protocol.ShardingLabels;

/**
 * What the caches of a process cover.
 *
 * @param namespaces the namespaces; empty for all
 * @param ring the ring, or empty outside any
 * @param shard the name of the shard, or empty; in a ring also as long as it has none
 * @param fieldManager who the API server notes as the writer of fields; the same in all
 * shards, since objects change their shard
 * @param keepManagedFields whether objects keep {@code metadata.managedFields}
 */
public record CacheScope(Set<String> namespaces, String ring, String shard, String fieldManager,
		boolean keepManagedFields) {

	public CacheScope {
		namespaces = Set.copyOf(namespaces);
	}

	/** The same for another shard of the ring. */
	public CacheScope withShard(String name) {
		return new CacheScope(this.namespaces, this.ring, name, this.fieldManager, this.keepManagedFields);
	}

	/** Whether the shard has no name yet, so that nobody knows what belongs to it. */
	public boolean isNameless() {
		return !this.ring.isEmpty() && this.shard.isEmpty();
	}

	/** The label selector of what belongs to the shard. */
	public String selector() {
		return ShardingLabels.shard(this.ring) + "=" + this.shard;
	}

}
