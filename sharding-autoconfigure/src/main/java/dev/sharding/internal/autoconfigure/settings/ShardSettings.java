package dev.sharding.internal.autoconfigure.settings;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.springframework.lang.Contract;

import dev.sharding.internal.core.key.ShardingNames;
import dev.sharding.internal.core.lease.RenewalTimings;
import dev.sharding.internal.kubernetes.lease.LeaseHolderConfig;
import dev.sharding.internal.kubernetes.slot.SlotOptions;

/**
 * Who this shard is, after all defaults.
 *
 * @param ring the name of the ControllerRing
 * @param lease which Lease to hold, and as whom; {@code null} with slots
 * @param slots which slots to stand by for, {@code null} without
 */
public record ShardSettings(String ring, @Nullable LeaseHolderConfig lease, @Nullable SlotOptions slots) {

	private static final String RING = "sharding.ring";

	private static final String SHARD_NAME = "sharding.shard-name";

	private static final int MOST_OF_FIELD_MANAGER = 128;

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
		return of(properties, clientNamespace, hostName, ElectionLease.DEFAULT);
	}

	/**
	 * The same beside a sharder whose leaders are elected elsewhere than usual.
	 * @param properties what the user has set
	 * @param clientNamespace the namespace of the pod or of the kubeconfig context
	 * @param hostName finds out the name of the host
	 * @param election the Lease of the sharders' election
	 * @return the settings
	 * @throws ShardingStartupException if they cannot work
	 */
	public static ShardSettings of(ShardingProperties properties, @Nullable String clientNamespace,
			Supplier<String> hostName, ElectionLease election) {
		String ring = ring(properties);
		RenewalTimings timings = timings(properties.lease());
		if (SlotSettings.isOn(properties)) {
			return new ShardSettings(ring, null, SlotSettings.of(ring, false, properties,
					namespace(properties, clientNamespace), hostName.get(), timings, election));
		}
		String shard = shard(properties, hostName);
		return new ShardSettings(ring,
				named(namespace(properties, clientNamespace), ring, shard, timings, properties, hostName), null);
	}

	private static LeaseHolderConfig named(String namespace, String ring, String shard, RenewalTimings timings,
			ShardingProperties properties, Supplier<String> hostName) {
		LeaseHolderConfig lease = LeaseHolderConfig.shard(namespace, ring, shard, timings)
			.withLongest(properties.lease().maxDuration());
		Duration grace = SlotSettings.grace(properties);
		// A host without a name is no problem for a shard that has one.
		return grace.isZero() ? lease : lease.withGrace(grace, hostName.get(), properties.podTemplateHash());
	}

	/**
	 * The same for one of the further rings.
	 * @param name the name of the ring, one of those that the user has set
	 * @param properties what the user has set
	 * @param clientNamespace the namespace of the pod or of the kubeconfig context
	 * @param hostName finds out the name of the host
	 * @param election the Lease of the sharders' election
	 * @return the settings
	 * @throws ShardingStartupException if they cannot work
	 */
	public static ShardSettings further(String name, ShardingProperties properties, @Nullable String clientNamespace,
			Supplier<String> hostName, ElectionLease election) {
		String property = "sharding.rings." + name;
		ShardingProperties.Ring ring = Objects.requireNonNull(properties.rings().get(name));
		if (SlotSettings.isOn(properties)) {
			return furtherSlots(name, ring, properties, clientNamespace, hostName, election);
		}
		// Leases of one namespace need different names, also in different rings.
		String shard = isSet(ring.shardName()) ? ring.shardName() : shard(properties, hostName) + "-" + name;
		String namespace = isSet(ring.leaseNamespace()) ? ring.leaseNamespace()
				: namespace(properties, clientNamespace);
		try {
			return new ShardSettings(name,
					named(namespace, name, shard, timings(properties.lease()), properties, hostName), null);
		}
		catch (IllegalArgumentException ex) {
			throw new ShardingStartupException(String.valueOf(ex.getMessage()),
					"Correct the name of the ring in '%s', or set '%s.shard-name' to a name that is unique in the ring and can be the value of a label."
						.formatted(property, property),
					ex);
		}
	}

	private static ShardSettings furtherSlots(String name, ShardingProperties.Ring ring, ShardingProperties properties,
			@Nullable String clientNamespace, Supplier<String> hostName, ElectionLease election) {
		if (isSet(ring.shardName())) {
			throw new ShardingStartupException(
					"'sharding.rings.%s.shard-name' is '%s', but with 'sharding.slots' a shard has the name of its slot"
						.formatted(name, ring.shardName()),
					"Remove 'sharding.rings.%s.shard-name'.".formatted(name), null);
		}
		String namespace = isSet(ring.leaseNamespace()) ? ring.leaseNamespace()
				: namespace(properties, clientNamespace);
		try {
			ShardingNames.requireRing(name);
		}
		catch (IllegalArgumentException ex) {
			throw new ShardingStartupException(String.valueOf(ex.getMessage()),
					"Correct the name of the ring in 'sharding.rings.%s'.".formatted(name), ex);
		}
		return new ShardSettings(name, null, SlotSettings.of(name, true, properties, namespace, hostName.get(),
				timings(properties.lease()), election));
	}

	/**
	 * The name by which the API server keeps apart who applies what.
	 * @param application the name of the application, if it has one
	 */
	public static String fieldManager(@Nullable String application) {
		String name = (application == null || application.isBlank()) ? "sharding" : application;
		if (name.getBytes(StandardCharsets.UTF_8).length > MOST_OF_FIELD_MANAGER) {
			throw new ShardingStartupException(
					"The API server takes no field manager as long as the name of the application, '%s'"
						.formatted(name),
					"Set 'spring.application.name' to a name of at most %d bytes.".formatted(MOST_OF_FIELD_MANAGER),
					null);
		}
		return name;
	}

	/** The host name, which is that of the pod. */
	public static String hostName() {
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

	public static String namespace(ShardingProperties properties, @Nullable String clientNamespace) {
		String namespace = properties.lease().namespace();
		if (isSet(namespace)) {
			return namespace;
		}
		if (isSet(clientNamespace)) {
			return clientNamespace;
		}
		if (!properties.autoStartup()) {
			return "default";
		}
		throw new ShardingStartupException(
				"There is no namespace for the Lease: this is no pod, and the kubeconfig context names none",
				"Set 'sharding.lease.namespace'.", null);
	}

	public static RenewalTimings timings(ShardingProperties.Lease lease) {
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
