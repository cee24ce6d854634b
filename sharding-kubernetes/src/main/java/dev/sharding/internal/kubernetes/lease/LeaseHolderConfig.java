package dev.sharding.internal.kubernetes.lease;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

import dev.sharding.internal.core.key.ShardingNames;
import dev.sharding.internal.core.lease.LeaseTimes;
import dev.sharding.internal.core.lease.RenewalTimings;
import dev.sharding.internal.core.lease.ShardIdentity;
import dev.sharding.internal.core.slot.SlotHolder;
import dev.sharding.protocol.ShardingLabels;

/**
 * Which Lease to hold, and as whom.
 *
 * @param namespace the namespace of the Lease
 * @param leaseName the name of the Lease
 * @param identity the {@code holderIdentity} to write
 * @param labels the labels to put on the Lease; others on it are kept
 * @param timings how long the Lease lasts and when it is renewed
 * @param instanceId tells this process from others with the same identity
 * @param longest the longest duration that is believed of the Lease of another process of
 * ours
 * @param notes what a shard whose objects wait for its next holder notes on its Lease, or
 * {@code null}
 * @param honoursSlots whether it notes that such shards are left to their next holder
 */
public record LeaseHolderConfig(String namespace, String leaseName, String identity, Map<String, String> labels,
		RenewalTimings timings, String instanceId, Duration longest, @Nullable SlotHolder notes, boolean honoursSlots) {

	/**
	 * Copies the labels.
	 */
	public LeaseHolderConfig {
		labels = Map.copyOf(labels);
	}

	/**
	 * A Lease on which nothing is noted besides who holds it, and for how long.
	 * @param namespace the namespace of the Lease
	 * @param leaseName the name of the Lease
	 * @param identity the {@code holderIdentity} to write
	 * @param labels the labels to put on the Lease; others on it are kept
	 * @param timings how long the Lease lasts and when it is renewed
	 * @param instanceId tells this process from others with the same identity
	 * @param longest the longest duration that is believed of the Lease of another
	 * process of ours
	 */
	public LeaseHolderConfig(String namespace, String leaseName, String identity, Map<String, String> labels,
			RenewalTimings timings, String instanceId, Duration longest) {
		this(namespace, leaseName, identity, labels, timings, instanceId, longest, null, false);
	}

	/**
	 * The Lease of a shard: named as the shard, held by it, labelled with its ring, under
	 * a random instance id.
	 * @param namespace the namespace of the Lease
	 * @param ring the name of the ControllerRing
	 * @param shard the name of the shard
	 * @param timings how long the Lease lasts and when it is renewed
	 * @return the configuration
	 * @throws IllegalArgumentException if the ring or the shard cannot bear its name
	 */
	public static LeaseHolderConfig shard(String namespace, String ring, String shard, RenewalTimings timings) {
		ShardingNames.requireRing(ring);
		ShardingNames.requireShard(shard);
		return new LeaseHolderConfig(namespace, shard, shard, Map.of(ShardingLabels.LEASE_RING, ring), timings,
				randomInstanceId(), LeaseTimes.LONGEST);
	}

	/**
	 * The Lease of an elected leader: one name for all candidates.
	 * @param namespace the namespace of the Lease
	 * @param name the name of the Lease
	 * @param identity the candidate, different for each process
	 * @param timings how long the Lease lasts and when it is renewed
	 * @return the configuration
	 */
	public static LeaseHolderConfig leader(String namespace, String name, String identity, RenewalTimings timings) {
		return new LeaseHolderConfig(namespace, name, identity, Map.of(), timings, randomInstanceId(),
				LeaseTimes.LONGEST);
	}

	/**
	 * This configuration with another limit.
	 * @param duration the longest duration that is believed of the Lease of another
	 * process of ours
	 * @return the configuration
	 */
	public LeaseHolderConfig withLongest(Duration duration) {
		return new LeaseHolderConfig(this.namespace, this.leaseName, this.identity, this.labels, this.timings,
				this.instanceId, duration, this.notes, this.honoursSlots);
	}

	/**
	 * This configuration for a shard whose objects wait for the next process of its name,
	 * once it is given back.
	 * @param grace for how long, in whole seconds, at most
	 * {@link dev.sharding.internal.core.slot.SlotLease#LONGEST_GRACE}; zero for not at
	 * all
	 * @param pod the pod of this process, for people
	 * @param template the hash of its pod template, or {@code null}
	 * @return the configuration
	 */
	public LeaseHolderConfig withGrace(Duration grace, String pod, @Nullable String template) {
		if (grace.isZero()) {
			return this;
		}
		return noting(grace, 0, pod, template);
	}

	/**
	 * The Lease of a slot.
	 * @param namespace the namespace of the Lease
	 * @param ring the name of the ControllerRing
	 * @param slot the name of the slot, which is that of the shard
	 * @param timings how long the Lease lasts and when it is renewed
	 * @param holder the process, and what it notes
	 * @param pod the pod of this process, for people
	 * @return the configuration
	 */
	public static LeaseHolderConfig slot(String namespace, String ring, String slot, RenewalTimings timings,
			SlotHolder holder, String pod) {
		return new LeaseHolderConfig(namespace, slot, slot, labels(Map.of(ShardingLabels.LEASE_RING, ring), pod),
				timings, holder.identity().instanceId(), LeaseTimes.LONGEST, holder, false);
	}

	private LeaseHolderConfig noting(Duration grace, int slots, String pod, @Nullable String template) {
		SlotHolder holder = new SlotHolder(new ShardIdentity(this.identity, this.instanceId),
				this.timings.leaseDuration(), grace, slots, template);
		return new LeaseHolderConfig(this.namespace, this.leaseName, this.identity, labels(this.labels, pod),
				this.timings, this.instanceId, this.longest, holder, this.honoursSlots);
	}

	/** A label is short, and ends as it began: with a letter or digit. */
	private static Map<String, String> labels(Map<String, String> others, String pod) {
		String cut = pod.substring(0, Math.min(pod.length(), ShardingNames.MAX_LENGTH))
			.replaceAll("[^A-Za-z0-9._-]", "-")
			.replaceAll("^[^A-Za-z0-9]+|[^A-Za-z0-9]+$", "");
		Map<String, String> labels = new HashMap<>(others);
		labels.put(ShardingLabels.POD, cut);
		return labels;
	}

	/**
	 * This configuration of an elected sharder that leaves shards which were given back
	 * to their next holder, and says so on its Lease.
	 * @return the configuration
	 */
	public LeaseHolderConfig honouringSlots() {
		return new LeaseHolderConfig(this.namespace, this.leaseName, this.identity, this.labels, this.timings,
				this.instanceId, this.longest, this.notes, true);
	}

	/**
	 * The ring that the Lease is of.
	 * @return its name, empty for the Lease of an elected leader
	 */
	public String ring() {
		return this.labels.getOrDefault(ShardingLabels.LEASE_RING, "");
	}

	/**
	 * How messages name the Lease.
	 * @return its namespace and name
	 */
	public String path() {
		return this.namespace + "/" + this.leaseName;
	}

	private static String randomInstanceId() {
		return UUID.randomUUID().toString();
	}

}
