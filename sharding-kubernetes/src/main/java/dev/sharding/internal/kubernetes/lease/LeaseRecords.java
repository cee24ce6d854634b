package dev.sharding.internal.kubernetes.lease;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Map;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseSpec;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseSpecBuilder;
import org.jspecify.annotations.Nullable;

import dev.sharding.internal.core.lease.LeaseRecord;
import dev.sharding.internal.core.slot.SlotLease;
import dev.sharding.protocol.ShardingLabels;

/**
 * Translates between Leases of the API and the records that the laws are about.
 */
public final class LeaseRecords {

	private LeaseRecords() {
	}

	/**
	 * Reads a Lease.
	 * @param lease a Lease as the API server returned it
	 * @return what it says
	 */
	public static LeaseRecord of(Lease lease) {
		LeaseSpec spec = (lease.getSpec() != null) ? lease.getSpec() : new LeaseSpec();
		Map<String, String> annotations = lease.getMetadata().getAnnotations();
		return new LeaseRecord(lease.getMetadata().getName(), spec.getHolderIdentity(), instant(spec.getAcquireTime()),
				instant(spec.getRenewTime()), spec.getLeaseDurationSeconds(), spec.getLeaseTransitions(),
				(annotations != null) ? annotations.get(ShardingLabels.INSTANCE_ID) : null);
	}

	/**
	 * Reads a Lease with what is noted on it.
	 * @param lease a Lease as the API server returned it
	 * @return what it says
	 */
	public static SlotLease slotLease(Lease lease) {
		Map<String, String> labels = lease.getMetadata().getLabels();
		Map<String, String> annotations = new HashMap<>();
		if (lease.getMetadata().getAnnotations() != null) {
			annotations.putAll(lease.getMetadata().getAnnotations());
		}
		annotations.remove(ShardingLabels.INSTANCE_ID);
		return new SlotLease(of(lease), (labels != null) ? labels.get(ShardingLabels.LEASE_RING) : null,
				lease.getMetadata().getUid(), annotations);
	}

	/**
	 * Returns {@code lease} with the spec and all the annotations of {@code wanted}; its
	 * labels stay as they are.
	 * @param lease the Lease as last read or written
	 * @param wanted what to make it say
	 * @return a copy to send
	 */
	public static Lease write(Lease lease, SlotLease wanted) {
		Lease noted = new LeaseBuilder(lease).editMetadata()
			.withAnnotations(wanted.annotations())
			.endMetadata()
			.build();
		return write(noted, wanted.record());
	}

	/**
	 * Returns {@code lease} with the spec and the instance annotation of {@code record};
	 * everything else stays as it is, the resource version included.
	 * @param lease the Lease as last read or written
	 * @param record what to make it say
	 * @return a copy to send
	 */
	public static Lease write(Lease lease, LeaseRecord record) {
		Lease written = new LeaseBuilder(lease).withSpec(spec(lease.getSpec(), record)).build();
		if (record.instanceId() != null) {
			return new LeaseBuilder(written).editMetadata()
				.addToAnnotations(ShardingLabels.INSTANCE_ID, record.instanceId())
				.endMetadata()
				.build();
		}
		return new LeaseBuilder(written).editMetadata()
			.removeFromAnnotations(ShardingLabels.INSTANCE_ID)
			.endMetadata()
			.build();
	}

	private static LeaseSpec spec(@Nullable LeaseSpec existing, LeaseRecord record) {
		LeaseSpecBuilder spec = (existing != null) ? new LeaseSpecBuilder(existing) : new LeaseSpecBuilder();
		return spec.withHolderIdentity(record.holderIdentity())
			.withAcquireTime(micros(record.acquireTime()))
			.withRenewTime(micros(record.renewTime()))
			.withLeaseDurationSeconds(record.leaseDurationSeconds())
			.withLeaseTransitions(record.leaseTransitions())
			.build();
	}

	private static @Nullable Instant instant(@Nullable ZonedDateTime time) {
		return (time != null) ? time.toInstant() : null;
	}

	/** The API knows microseconds; more digits would be cut there and compare unequal. */
	private static @Nullable ZonedDateTime micros(@Nullable Instant time) {
		return (time != null) ? time.truncatedTo(ChronoUnit.MICROS).atZone(ZoneOffset.UTC) : null;
	}

}
