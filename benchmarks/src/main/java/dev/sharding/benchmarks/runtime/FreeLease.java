package dev.sharding.benchmarks.runtime;

import java.time.ZoneOffset;
import java.time.ZonedDateTime;

import dev.sharding.benchmarks.runtime.Contender.Place;
import dev.sharding.protocol.ShardingLabels;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;

/**
 * The Lease of a shard that has stopped gracefully, as after a rolling update. A shard
 * that finds objects of its own and no Lease waits for a duration, as the Lease may have
 * been lost; that would be measured instead of the start.
 */
final class FreeLease {

	private FreeLease() {
	}

	static Lease of(Place place) {
		ZonedDateTime now = ZonedDateTime.now(ZoneOffset.UTC);
		return new LeaseBuilder().withNewMetadata()
			.withNamespace(place.namespace())
			.withName(place.shard())
			.addToLabels(ShardingLabels.LEASE_RING, Contender.RING)
			.endMetadata()
			.withNewSpec()
			.withHolderIdentity("")
			.withLeaseDurationSeconds(1)
			.withAcquireTime(now)
			.withRenewTime(now)
			.withLeaseTransitions(0)
			.endSpec()
			.build();
	}

}
