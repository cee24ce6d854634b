package dev.sharding.internal.autoconfigure.settings;

import java.time.Duration;
import java.util.UUID;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.sharding.internal.core.key.ShardingNames;
import dev.sharding.internal.core.lease.RenewalTimings;
import dev.sharding.internal.core.slot.SlotLease;
import dev.sharding.internal.core.slot.SlotNames;
import dev.sharding.internal.kubernetes.slot.SlotOptions;

/**
 * Which slots there are, after all defaults, and how long objects wait for the next
 * holder of a Lease.
 */
final class SlotSettings {

	private static final Logger logger = LoggerFactory.getLogger(SlotSettings.class);

	private static final Duration GRACE = Duration.ofSeconds(30);

	private static final Duration LONGEST_WAIT = Duration.ofHours(1);

	private static final String SLOTS = "sharding.slots";

	private static final String PREFIX = "sharding.slot-prefix";

	private SlotSettings() {
	}

	/** Whether the shards of this application are slots. */
	static boolean isOn(ShardingProperties properties) {
		if (properties.slots() == 0 && properties.slotPrefix() != null) {
			logger.warn("'{}' does nothing as long as '{}' is not set", PREFIX, SLOTS);
		}
		return properties.slots() != 0;
	}

	/**
	 * Completes and checks what the user has set.
	 * @param ring the ring
	 * @param further whether it is one of the further rings
	 * @param properties what the user has set
	 * @param namespace the namespace of the Leases
	 * @param pod the host name, which is that of the pod
	 * @param timings the times of a Lease
	 * @param election the Lease of the sharders' election
	 * @return the slots
	 * @throws ShardingStartupException if they cannot work
	 */
	static SlotOptions of(String ring, boolean further, ShardingProperties properties, String namespace, String pod,
			RenewalTimings timings, ElectionLease election) {
		requirePossible(properties);
		String prefix = properties.slotPrefix();
		if (prefix == null || prefix.isBlank()) {
			prefix = SlotNames.defaultPrefix(ring, namespace);
		}
		else if (further) {
			prefix = prefix + "-" + ring;
		}
		return new SlotOptions(namespace, ring, names(ring, prefix, properties.slots()), timings,
				UUID.randomUUID().toString(), properties.lease().maxDuration(), grace(properties),
				properties.slotWait(), pod, text(properties.podTemplateHash()), election.namespace(), election.name());
	}

	/** How long objects wait for the next holder of their shard's Lease. */
	static Duration grace(ShardingProperties properties) {
		Duration set = properties.lease().grace();
		Duration grace = (set != null) ? set : (properties.slots() != 0) ? GRACE : Duration.ZERO;
		if (grace.isNegative() || grace.getNano() != 0 || grace.compareTo(SlotLease.LONGEST_GRACE) > 0) {
			throw new ShardingStartupException(
					"'sharding.lease.grace' must be whole seconds from 0 to %d (is %s)"
						.formatted(SlotLease.LONGEST_GRACE.toSeconds(), grace),
					"Set 'sharding.lease.grace' to what a replica takes to be replaced, such as 30s. Objects of a shard"
							+ " that nobody takes over wait for that long.",
					null);
		}
		return grace;
	}

	private static void requirePossible(ShardingProperties properties) {
		int slots = properties.slots();
		if (slots < 0 || slots > SlotNames.MOST) {
			throw new ShardingStartupException(
					"'%s' must be from 1 to %d, or 0 for none (is %d)".formatted(SLOTS, SlotNames.MOST, slots),
					"Set '%s' to the most replicas that work at a time, such as the maximum of the autoscaler."
						.formatted(SLOTS),
					null);
		}
		if (text(properties.shardName()) != null) {
			throw new ShardingStartupException(
					"'sharding.shard-name' is '%s', but with '%s' a shard has the name of its slot"
						.formatted(properties.shardName(), SLOTS),
					"Remove 'sharding.shard-name', or '%s' for a shard with a name of its own. What the names of slots"
						.formatted(SLOTS) + " begin with is '%s'.".formatted(PREFIX),
					null);
		}
		Duration wait = properties.slotWait();
		if (wait.isNegative() || wait.compareTo(LONGEST_WAIT) > 0) {
			throw new ShardingStartupException(
					"'sharding.slot-wait' must be from 0 to %d s (is %s)".formatted(LONGEST_WAIT.toSeconds(), wait),
					"Set 'sharding.slot-wait' to what a replica takes to be replaced, such as 30s.", null);
		}
	}

	private static SlotNames names(String ring, String prefix, int slots) {
		try {
			return new SlotNames(prefix, slots);
		}
		catch (IllegalArgumentException ex) {
			throw new ShardingStartupException(
					"The slots of ring '%s' cannot bear their names: %s".formatted(ring, ex.getMessage()),
					"Set '%s' to at most %d lower-case letters, digits, '-' and '.', beginning with a letter or digit."
						.formatted(PREFIX, ShardingNames.MAX_LENGTH - "-000".length()),
					ex);
		}
	}

	private static @Nullable String text(@Nullable String set) {
		return (set != null && !set.isBlank()) ? set : null;
	}

}
