package dev.sharding.internal.sharder.app;

import java.time.Duration;

import dev.sharding.internal.core.lease.RenewalTimings;
import dev.sharding.internal.sharder.ElectionOptions;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How the sharders of a cluster elect the one that acts.
 *
 * @param enabled Whether there is an election; without one, run a single process.
 * @param namespace Namespace of the Lease.
 * @param leaseName Name of the Lease, the same for all sharders of the cluster.
 * @param leaseDuration How long the Lease is valid after a renewal, in whole seconds.
 * @param renewDeadline How long after the last successful renewal the leader stops to
 * act. Two thirds of the duration if not set.
 * @param retryPeriod How long to wait between two renewals. Two fifteenths of the
 * duration if not set.
 */
@ConfigurationProperties("sharding.sharder.leader-election")
record ElectionProperties(@DefaultValue("true") boolean enabled, @DefaultValue("sharding-system") String namespace,
		@DefaultValue("sharder") String leaseName, @DefaultValue("15s") Duration leaseDuration,
		@Nullable Duration renewDeadline, @Nullable Duration retryPeriod) {

	ElectionProperties {
		try {
			RenewalTimings.of(leaseDuration, renewDeadline, retryPeriod);
		}
		catch (IllegalArgumentException ex) {
			throw new IllegalArgumentException("'sharding.sharder.leader-election.*': " + ex.getMessage(), ex);
		}
	}

	ElectionOptions toOptions() {
		return new ElectionOptions(this.enabled, this.namespace, this.leaseName,
				RenewalTimings.of(this.leaseDuration, this.renewDeadline, this.retryPeriod));
	}

}
