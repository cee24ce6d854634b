package dev.sharding.shard;

import io.fabric8.kubernetes.api.model.HasMetadata;

import dev.sharding.internal.kubernetes.fence.Claim;
import dev.sharding.internal.kubernetes.fence.ClaimScope;
import dev.sharding.internal.kubernetes.fence.Claims;
import dev.sharding.resource.ResourceType;

/**
 * Ends the claim on an object before its drain is acknowledged, whatever comes of that.
 * There are claims on the main resources that the shard follows; what another library
 * follows is acknowledged as it is.
 */
final class ShardDrains implements DrainHandler {

	private final Claims claims;

	private final DrainHandler followed;

	private final DrainHandler others;

	/**
	 * Creates the handler of a shard.
	 * @param claims the claims of the shard
	 * @param followed acknowledges for the resources that the shard follows
	 * @param others acknowledges for all others
	 */
	ShardDrains(Claims claims, DrainHandler followed, DrainHandler others) {
		this.claims = claims;
		this.followed = followed;
		this.others = others;
	}

	@Override
	public boolean acknowledge(ResourceType<?> type, HasMetadata object) {
		if (!this.claims.follows(type.groupResource())) {
			return this.others.acknowledge(type, object);
		}
		Claim claim = this.claims.letGo(type.groupResource(), object);
		try (ClaimScope scope = ClaimScope.acknowledging(claim)) {
			return this.followed.acknowledge(type, object);
		}
		finally {
			this.claims.ended(claim);
		}
	}

}
