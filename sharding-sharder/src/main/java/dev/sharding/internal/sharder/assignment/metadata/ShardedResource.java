package dev.sharding.internal.sharder.assignment.metadata;

import dev.sharding.internal.core.assignment.ResourceRole;
import dev.sharding.resource.ResourceType;
import io.fabric8.kubernetes.api.model.PartialObjectMetadata;

/**
 * A resource of a ring.
 *
 * @param type how the API server serves it
 * @param role how the ring lists it
 */
public record ShardedResource(ResourceType<PartialObjectMetadata> type, ResourceRole role) {

	public boolean isMain() {
		return this.role == ResourceRole.MAIN;
	}

	@Override
	public String toString() {
		return this.type.groupResource().toString();
	}

}
