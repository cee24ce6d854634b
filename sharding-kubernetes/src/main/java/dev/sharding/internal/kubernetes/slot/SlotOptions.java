package dev.sharding.internal.kubernetes.slot;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import dev.sharding.internal.core.lease.RenewalTimings;
import dev.sharding.internal.core.lease.ShardIdentity;
import dev.sharding.internal.core.slot.SlotHolder;
import dev.sharding.internal.core.slot.SlotNames;
import dev.sharding.internal.kubernetes.lease.LeaseHolderConfig;

/**
 * Which slots a process stands by for, and as whom.
 *
 * @param namespace the namespace of the Leases
 * @param ring the name of the ControllerRing
 * @param names the slots
 * @param timings how long a Lease lasts and when it is renewed
 * @param instanceId tells this process from others
 * @param longest the longest duration that is believed of the Lease of another process of
 * ours
 * @param grace how long the objects wait for the next holder once a slot is given back,
 * in whole seconds
 * @param slotWait how long to wait for a slot that somebody held before a new one is
 * opened
 * @param pod the pod of this process
 * @param template the hash of its pod template, or {@code null} if it is not known
 * @param electionNamespace the namespace of the Lease by which sharders elect their
 * leader
 * @param electionLease the name of that Lease
 */
public record SlotOptions(String namespace, String ring, SlotNames names, RenewalTimings timings, String instanceId,
		Duration longest, Duration grace, Duration slotWait, String pod, @Nullable String template,
		String electionNamespace, String electionLease) {

	/**
	 * The Lease of a slot, for this process.
	 * @param slot the number of the slot
	 * @return the configuration of its holder
	 */
	public LeaseHolderConfig lease(int slot) {
		String name = this.names.name(slot);
		SlotHolder holder = new SlotHolder(new ShardIdentity(name, this.instanceId), this.timings.leaseDuration(),
				this.grace, this.names.count(), this.template);
		return LeaseHolderConfig.slot(this.namespace, this.ring, name, this.timings, holder, this.pod)
			.withLongest(this.longest);
	}

}
