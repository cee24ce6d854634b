package dev.sharding.internal.sharder.shardlease;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;

import dev.sharding.internal.core.lease.ShardState;
import dev.sharding.internal.core.slot.Seat;
import dev.sharding.internal.core.slot.SlotLease;
import dev.sharding.internal.kubernetes.lease.LeaseRecords;
import dev.sharding.internal.sharder.shardlease.MembershipLaw.SeatFacts;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.resource.ObjectKey;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import org.jspecify.annotations.Nullable;

/**
 * Reads a membership off the Leases alone, for replicas that do not look after them.
 */
public final class LeaseMembership {

	private LeaseMembership() {
	}

	/**
	 * Returns the membership of a ring. It changes only when a Lease does: whoever is
	 * expired stays available until somebody takes its Lease (protocol section 3.2), and
	 * a shard that was given back stays a member until somebody takes its Lease, which
	 * the leader does when its grace is over.
	 * @param leases all Leases that carry the label of the ring
	 * @param trust which of them count
	 * @param now the wall time
	 * @return the membership
	 */
	public static Membership of(Collection<Lease> leases, LeaseTrust trust, Instant now) {
		return of(leases, Map.of(), trust, now);
	}

	/**
	 * Returns the membership of a ring some of whose Leases have vanished lately.
	 * @param leases all Leases that carry the label of the ring
	 * @param vanished those that have vanished and whose shards may not have noticed
	 * @param trust which of them count
	 * @param now the wall time
	 * @return the membership
	 */
	public static Membership of(Collection<Lease> leases, Map<ObjectKey, Lease> vanished, LeaseTrust trust,
			Instant now) {
		List<SlotLease> members = leases.stream()
			.filter((lease) -> trust.doubt(ObjectKey.of(lease), LeaseRecords.of(lease)) == null)
			.map(LeaseRecords::slotLease)
			.filter((slot) -> Seat.of(slot, ShardState.of(slot.record(), now), null).isMember())
			.toList();
		Instant through = Seat.settledThrough(members);
		List<SeatFacts> seats = new ArrayList<>();
		leases.forEach((lease) -> seats.add(facts(lease, trust, through, now)));
		vanished.forEach((key, lease) -> {
			if (leases.stream().noneMatch((other) -> ObjectKey.of(other).equals(key))) {
				seats.add(facts(lease, trust, through, now));
			}
		});
		return MembershipLaw.of(seats, Collections.emptySortedMap());
	}

	private static SeatFacts facts(Lease lease, LeaseTrust trust, @Nullable Instant through, Instant now) {
		SlotLease slot = LeaseRecords.slotLease(lease);
		ObjectKey key = ObjectKey.of(lease);
		String doubt = trust.doubt(key, slot.record());
		ShardState state = (doubt == null) ? ShardState.of(slot.record(), now) : ShardState.UNKNOWN;
		return new SeatFacts(key, (doubt == null) ? Seat.of(slot, state, through) : Seat.NONE, slot.settled(),
				slot.isOurs(), ShardingLabels.isSet(lease.getMetadata().getAnnotations(), ShardingLabels.CORDONED),
				doubt);
	}

}
