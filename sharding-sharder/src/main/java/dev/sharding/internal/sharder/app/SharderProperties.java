package dev.sharding.internal.sharder.app;

import java.time.Duration;
import java.util.Set;

import dev.sharding.internal.sharder.SharderOptions;
import dev.sharding.internal.sharder.assignment.placement.AssignmentMode;
import dev.sharding.internal.sharder.assignment.placement.DrainBudget;
import dev.sharding.internal.sharder.assignment.placement.DrainPatience;
import dev.sharding.internal.sharder.shardlease.LeaseTrust;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Configuration of the sharder.
 *
 * @param syncPeriod Time between two passes over all objects of a ring.
 * @param concurrentMoves Number of objects of a ring that are patched at a time.
 * @param excludedNamespaces Namespaces whose objects are left alone by rings without a
 * namespace selector.
 * @param mode Who assigns objects without a shard: a watch, the webhook, or both.
 * @param drainReportAfter After how long a shard that does not let go of an object is
 * reported.
 * @param drainTimeout After how long the Lease of such a shard is taken, which costs it
 * all its objects; 0 for never.
 * @param drainsPerSecond How many objects of a ring are drained a second at most while it
 * is rebalanced, such as 0.5; 0 for as many as the shards keep up with.
 * @param maxLeaseDuration The longest duration of a shard's Lease that is believed; one
 * above it makes no member of the ring.
 * @param leaseNamespaces Namespaces whose Leases make members of rings; all if empty.
 * @param settle Shards that come within this time of each other get their objects with
 * one change; 0 to wait for nobody.
 */
@ConfigurationProperties("sharding.sharder")
record SharderProperties(@DefaultValue("5m") Duration syncPeriod, @DefaultValue("100") int concurrentMoves,
		@DefaultValue( {
				"kube-system", "sharding-system" }) Set<String> excludedNamespaces,
		@DefaultValue("watch") AssignmentMode mode, @DefaultValue("30s") Duration drainReportAfter,
		@DefaultValue("0s") Duration drainTimeout, @DefaultValue("0") double drainsPerSecond,
		@DefaultValue("10m") Duration maxLeaseDuration, @DefaultValue Set<String> leaseNamespaces,
		@DefaultValue("3s") Duration settle){

	SharderProperties {
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

	SharderOptions toOptions() {
		return new SharderOptions(this.syncPeriod, this.concurrentMoves, this.excludedNamespaces).withMode(this.mode)
			.withDrainPatience(new DrainPatience(this.drainReportAfter, this.drainTimeout))
			.withDrainBudget(new DrainBudget(this.drainsPerSecond))
			.withLeaseTrust(leaseTrust())
			.withSettle(this.settle);
	}

	LeaseTrust leaseTrust() {
		return new LeaseTrust(this.maxLeaseDuration, this.leaseNamespaces);
	}

}
