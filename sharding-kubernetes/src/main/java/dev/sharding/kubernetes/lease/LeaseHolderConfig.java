package dev.sharding.kubernetes.lease;

import java.time.Duration;
import java.util.Map;
import java.util.UUID;

import dev.sharding.core.ShardingLabels;
import dev.sharding.core.ShardingNames;
import dev.sharding.core.lease.LeaseTimes;
import dev.sharding.core.lease.RenewalTimings;

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
 */
public record LeaseHolderConfig(String namespace, String leaseName, String identity, Map<String, String> labels,
		RenewalTimings timings, String instanceId, Duration longest) {

	/**
	 * Copies the labels.
	 */
	public LeaseHolderConfig {
		labels = Map.copyOf(labels);
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
				this.instanceId, duration);
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
