package dev.sharding.autoconfigure;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.springframework.lang.Contract;

import dev.sharding.core.ShardingNames;
import dev.sharding.core.lease.RenewalTimings;
import dev.sharding.kubernetes.lease.LeaseHolderConfig;

/**
 * Who this shard is, after all defaults.
 *
 * @param ring the name of the ControllerRing
 * @param lease which Lease to hold, and as whom
 */
record ShardSettings(String ring, LeaseHolderConfig lease) {

	private static final String RING = "sharding.ring";

	private static final String SHARD_NAME = "sharding.shard-name";

	/**
	 * Completes and checks what the user has set.
	 * @param properties what the user has set
	 * @param clientNamespace the namespace of the pod or of the kubeconfig context
	 * @param hostName finds out the name of the host
	 * @return the settings
	 * @throws ShardingStartupException if they cannot work
	 */
	static ShardSettings of(ShardingProperties properties, @Nullable String clientNamespace,
			Supplier<String> hostName) {
		String ring = ring(properties);
		String shard = shard(properties, hostName);
		RenewalTimings timings = timings(properties.lease());
		return new ShardSettings(ring,
				LeaseHolderConfig.shard(namespace(properties, clientNamespace), ring, shard, timings)
					.withLongest(properties.lease().maxDuration()));
	}

	/**
	 * The same for one of the further rings.
	 * @param name the name of the ring, one of those that the user has set
	 * @param properties what the user has set
	 * @param clientNamespace the namespace of the pod or of the kubeconfig context
	 * @param hostName finds out the name of the host
	 * @return the settings
	 * @throws ShardingStartupException if they cannot work
	 */
	static ShardSettings further(String name, ShardingProperties properties, @Nullable String clientNamespace,
			Supplier<String> hostName) {
		String property = "sharding.rings." + name;
		ShardingProperties.Ring ring = Objects.requireNonNull(properties.rings().get(name));
		// Leases of one namespace need different names, also in different rings.
		String shard = isSet(ring.shardName()) ? ring.shardName() : shard(properties, hostName) + "-" + name;
		String namespace = isSet(ring.leaseNamespace()) ? ring.leaseNamespace()
				: namespace(properties, clientNamespace);
		try {
			return new ShardSettings(name, LeaseHolderConfig.shard(namespace, name, shard, timings(properties.lease()))
				.withLongest(properties.lease().maxDuration()));
		}
		catch (IllegalArgumentException ex) {
			throw new ShardingStartupException(String.valueOf(ex.getMessage()),
					"Correct the name of the ring in '%s', or set '%s.shard-name' to a name that is unique in the ring and can be the value of a label."
						.formatted(property, property),
					ex);
		}
	}

	/** The host name, which is that of the pod. */
	static String hostName() {
		String name = System.getenv("HOSTNAME");
		if (name != null && !name.isBlank()) {
			return name;
		}
		try {
			return InetAddress.getLocalHost().getHostName();
		}
		catch (UnknownHostException ex) {
			throw new ShardingStartupException("The host has no name that could be that of the shard",
					"Set '%s' to a name that is unique in the ring.".formatted(SHARD_NAME), ex);
		}
	}

	private static String ring(ShardingProperties properties) {
		String ring = properties.ring();
		if (ring == null || ring.isBlank()) {
			throw new ShardingStartupException(
					"There is a sharded controller (@ShardedController, or a ControllerSpec), but no ring that it could join",
					"Set '%s' to the name of a ControllerRing, or 'sharding.enabled' to false for a leader without a ring."
						.formatted(RING),
					null);
		}
		try {
			return ShardingNames.requireRing(ring);
		}
		catch (IllegalArgumentException ex) {
			throw new ShardingStartupException(String.valueOf(ex.getMessage()),
					"Set '%s' to the name of a ControllerRing.".formatted(RING), ex);
		}
	}

	private static String shard(ShardingProperties properties, Supplier<String> hostName) {
		String configured = properties.shardName();
		String shard = isSet(configured) ? configured : hostName.get().toLowerCase(Locale.ROOT);
		try {
			return ShardingNames.requireShard(shard);
		}
		catch (IllegalArgumentException ex) {
			throw new ShardingStartupException(
					shard.equals(configured) ? String.valueOf(ex.getMessage())
							: "The host name cannot be that of a shard: " + ex.getMessage(),
					("Set '%s' to a name that is unique in the ring and can be the value of a label: at most %d"
							+ " lower-case letters, digits, '-' and '.'.")
						.formatted(SHARD_NAME, ShardingNames.MAX_LENGTH),
					ex);
		}
	}

	static String namespace(ShardingProperties properties, @Nullable String clientNamespace) {
		String namespace = properties.lease().namespace();
		if (isSet(namespace)) {
			return namespace;
		}
		if (isSet(clientNamespace)) {
			return clientNamespace;
		}
		throw new ShardingStartupException(
				"There is no namespace for the Lease: this is no pod, and the kubeconfig context names none",
				"Set 'sharding.lease.namespace'.", null);
	}

	static RenewalTimings timings(ShardingProperties.Lease lease) {
		if (lease.duration().compareTo(lease.maxDuration()) > 0) {
			throw new ShardingStartupException(
					"The Lease would last longer than is believed: 'sharding.lease.duration' is %s, above 'sharding.lease.max-duration', which is %s"
						.formatted(lease.duration(), lease.maxDuration()),
					"Shorten 'sharding.lease.duration'. Or raise 'sharding.lease.max-duration', after the sharder's"
							+ " 'sharding.sharder.max-lease-duration': a shard whose Lease is above that one gets no objects.",
					null);
		}
		try {
			return RenewalTimings.of(lease.duration(), lease.renewDeadline(), lease.retryPeriod());
		}
		catch (IllegalArgumentException ex) {
			throw new ShardingStartupException("The times of the Lease are impossible: " + ex.getMessage(),
					"Change 'sharding.lease.duration' (whole seconds, the longest), 'sharding.lease.renew-deadline' or"
							+ " 'sharding.lease.retry-period' (the shortest). The latter two follow the duration"
							+ " unless they are set.",
					ex);
		}
	}

	@Contract("null -> false")
	private static boolean isSet(@Nullable String text) {
		return text != null && !text.isBlank();
	}

}
