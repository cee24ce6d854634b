package dev.sharding.internal.autoconfigure.settings;

import java.time.Duration;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.core.env.Environment;

import dev.sharding.internal.core.lease.RenewalTimings;
import dev.sharding.internal.sharder.ElectionOptions;
import dev.sharding.internal.sharder.SharderOptions;
import dev.sharding.internal.sharder.assignment.placement.DrainBudget;
import dev.sharding.internal.sharder.assignment.placement.DrainPatience;
import dev.sharding.internal.sharder.shardlease.LeaseTrust;

/**
 * The sharder in this application.
 *
 * @param enabled Whether to run a sharder in this application, in one of its replicas at
 * a time.
 * @param syncPeriod Time between two passes over all objects of a ring.
 * @param concurrentMoves Number of objects of a ring that are patched at a time.
 * @param excludedNamespaces Namespaces whose objects are left alone by rings without a
 * namespace selector.
 * @param drainReportAfter After how long a shard that does not let go of an object is
 * reported.
 * @param drainTimeout After how long a shard that does not let go of an object loses its
 * Lease, and with it all its objects; 0 for never.
 * @param drainsPerSecond How many objects of a ring are drained a second at most while it
 * is rebalanced, such as 0.5; 0 for as many as the shards keep up with.
 * @param maxLeaseDuration The longest duration of a shard's Lease that is believed; one
 * above it makes no member of the ring.
 * @param leaseNamespaces Namespaces whose Leases make members of rings; all if empty.
 * @param settle Shards that come within this time of each other get their objects with
 * one change; 0 to wait for nobody.
 * @param leaderElection How the sharders of the cluster elect the one that acts.
 */
@ConfigurationProperties("sharding.sharder")
public record SharderProperties(@DefaultValue("false") boolean enabled, @DefaultValue("5m") Duration syncPeriod,
		@DefaultValue("100") int concurrentMoves, @DefaultValue( {
				"kube-system", "sharding-system" }) Set<String> excludedNamespaces,
		@DefaultValue("30s") Duration drainReportAfter, @DefaultValue("0s") Duration drainTimeout,
		@DefaultValue("0") double drainsPerSecond, @DefaultValue("10m") Duration maxLeaseDuration,
		@DefaultValue Set<String> leaseNamespaces, @DefaultValue("3s") Duration settle,
		@DefaultValue LeaderElection leaderElection){

	private static final String PREFIX = "sharding.sharder";

	private static final String WATCH = "watch";

	public SharderProperties {
		if (syncPeriod.isNegative() || syncPeriod.isZero()) {
			throw new IllegalArgumentException(
					"'sharding.sharder.sync-period' must be positive (is %s)".formatted(syncPeriod));
		}
		if (concurrentMoves < 1) {
			throw new IllegalArgumentException(
					"'sharding.sharder.concurrent-moves' must be positive (is %d)".formatted(concurrentMoves));
		}
		new DrainPatience(drainReportAfter, drainTimeout);
		new DrainBudget(drainsPerSecond);
		new LeaseTrust(maxLeaseDuration, leaseNamespaces);
		SharderOptions.requireSettle(settle);
	}

	/**
	 * Refuses what only the sharder as a program has, and says what nobody knows.
	 * @param environment where the properties are
	 * @throws ShardingStartupException if there is any of it
	 */
	public static void check(Environment environment) {
		Binder binder = Binder.get(environment);
		String mode = binder.bind(PREFIX + ".mode", String.class).orElse(WATCH);
		boolean webhook = new PropertyPrefix(environment, PREFIX + ".webhook").isSet();
		if (webhook || !(mode.isBlank() || WATCH.equalsIgnoreCase(mode.strip()))) {
			throw new ShardingStartupException(
					"'%s' is set, but the sharder in an application has mode watch only"
						.formatted(PREFIX + (webhook ? ".webhook" : ".mode")),
					"Remove the properties '%s.mode' and '%s.webhook', or run the sharder as a program, and without '%s.enabled'."
						.formatted(PREFIX, PREFIX, PREFIX),
					null);
		}
		UnknownProperties.warn(environment, PREFIX, SharderProperties.class, PREFIX + ".mode");
	}

	public SharderOptions toOptions() {
		return new SharderOptions(this.syncPeriod, this.concurrentMoves, this.excludedNamespaces)
			.withDrainPatience(new DrainPatience(this.drainReportAfter, this.drainTimeout))
			.withDrainBudget(new DrainBudget(this.drainsPerSecond))
			.withLeaseTrust(new LeaseTrust(this.maxLeaseDuration, this.leaseNamespaces))
			.withSettle(this.settle);
	}

	/**
	 * How the sharders of a cluster elect the one that acts.
	 *
	 * @param enabled Whether the sharders of the cluster elect the one that acts; without
	 * an election, run a single process.
	 * @param namespace Namespace of the Lease.
	 * @param leaseName Name of the Lease, the same for all sharders of the cluster.
	 * @param leaseDuration How long the Lease is valid after a renewal, in whole seconds.
	 * @param renewDeadline How long after the last successful renewal the leader stops to
	 * act. Two thirds of the duration if not set.
	 * @param retryPeriod How long to wait between two renewals. Two fifteenths of the
	 * duration if not set.
	 */
	public record LeaderElection(@DefaultValue("true") boolean enabled,
			@DefaultValue("sharding-system") String namespace, @DefaultValue("sharder") String leaseName,
			@DefaultValue("15s") Duration leaseDuration, @Nullable Duration renewDeadline,
			@Nullable Duration retryPeriod) {

		public ElectionOptions toOptions() {
			try {
				return new ElectionOptions(this.enabled, this.namespace, this.leaseName,
						RenewalTimings.of(this.leaseDuration, this.renewDeadline, this.retryPeriod));
			}
			catch (IllegalArgumentException ex) {
				throw new ShardingStartupException(
						"The leader election of the sharder is impossible: " + ex.getMessage(),
						"Change the properties 'sharding.sharder.leader-election.*'.", ex);
			}
		}

	}

}
