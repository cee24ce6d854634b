package dev.sharding.sharder.shardlease;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;

import dev.sharding.core.ShardingLabels;
import dev.sharding.core.lease.LeaseRecord;
import dev.sharding.core.lease.ShardState;
import dev.sharding.kubernetes.lease.LeaseRecords;
import dev.sharding.kubernetes.resource.ObjectKey;
import dev.sharding.sharder.shardlease.MembershipLaw.Seat;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;

/**
 * Reads a membership off the Leases alone, for replicas that do not look after them.
 */
public final class LeaseMembership {

	private LeaseMembership() {
	}

	/**
	 * Returns the membership of a ring. It changes only when a Lease does: whoever is
	 * expired stays available until somebody takes its Lease (protocol section 3.2).
	 * @param leases all Leases that carry the label of the ring
	 * @param trust which of them count
	 * @param now the wall time
	 * @return the membership
	 */
	public static Membership of(Collection<Lease> leases, LeaseTrust trust, Instant now) {
		List<Seat> seats = new ArrayList<>();
		for (Lease lease : leases) {
			LeaseRecord record = LeaseRecords.of(lease);
			ObjectKey key = ObjectKey.of(lease);
			seats.add(new Seat(key, ShardState.of(record, now).isAvailable(), record.instanceId() != null,
					ShardingLabels.isSet(lease.getMetadata().getAnnotations(), ShardingLabels.CORDONED),
					trust.doubt(key, record)));
		}
		return MembershipLaw.of(seats, Collections.emptySortedMap());
	}

}
