package dev.sharding.internal.kubernetes.cache.check;

import dev.sharding.resource.ResourceType;

/**
 * One informer's identity.
 *
 * @param type the resource
 * @param sharded whether it follows only what carries the shard's label
 */
public record InformerKey(ResourceType<?> type, boolean sharded) {

	@Override
	public String toString() {
		return this.sharded ? this.type.toString() : this.type + " (whole)";
	}

}
