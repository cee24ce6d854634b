package dev.sharding.internal.kubernetes.slot;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import org.jspecify.annotations.Nullable;

import dev.sharding.internal.core.lease.Moment;
import dev.sharding.internal.kubernetes.lease.LeaseHolderConfig;
import dev.sharding.internal.kubernetes.lease.LeaseRecords;
import dev.sharding.protocol.ShardingLabels;

/**
 * A slot that was acquired.
 *
 * @param number the number of the slot
 * @param config the Lease, and as whom it is held
 * @param lease the Lease as it was written
 * @param sent when that was sent
 * @param before the Lease before, {@code null} if it is new
 */
public record SlotTaken(int number, LeaseHolderConfig config, Lease lease, Moment sent, @Nullable Lease before) {

	/**
	 * Who took over from whom, in words.
	 * @return a sentence for people
	 */
	public String story() {
		String pod = pod(this.lease);
		if (this.before == null) {
			return "%s opened the slot".formatted(pod);
		}
		String other = pod(this.before);
		boolean held = LeaseRecords.of(this.before).isHeldByItself();
		boolean given = LeaseRecords.slotLease(this.before).isGivenBack();
		return "%s took the slot over from %s, %s".formatted(pod, other,
				given ? "which gave it back" : held ? "whose Lease had run out" : "whose objects had been moved");
	}

	private static String pod(Lease lease) {
		String pod = (lease.getMetadata().getLabels() != null) ? lease.getMetadata().getLabels().get(ShardingLabels.POD)
				: null;
		return (pod != null) ? pod : "an unknown process";
	}

}
