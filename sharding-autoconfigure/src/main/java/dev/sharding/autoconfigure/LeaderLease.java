package dev.sharding.autoconfigure;

import java.util.UUID;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import dev.sharding.kubernetes.lease.LeaseHolderConfig;

/**
 * Which Lease the replicas want for the controllers outside any ring.
 */
final class LeaderLease {

	private static final int MAX_LENGTH = 253;

	private static final Pattern NAME = Pattern
		.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");

	private LeaderLease() {
	}

	/**
	 * Completes and checks what the user has set.
	 * @param properties what the user has set
	 * @param clientNamespace the namespace of the pod or of the kubeconfig context
	 * @param application the name of the application
	 * @return the Lease, and this process as a candidate
	 * @throws ShardingStartupException if no Lease can have that name
	 */
	static LeaseHolderConfig of(ShardingProperties properties, @Nullable String clientNamespace, String application) {
		String configured = properties.leaderElection().leaseName();
		String name = (configured != null) ? configured : application + "-leader";
		if (name.length() > MAX_LENGTH || !NAME.matcher(name).matches()) {
			throw new ShardingStartupException(
					"No Lease can be named '%s'%s".formatted(name,
							(configured != null) ? "" : ", after the application ('spring.application.name')"),
					"Set 'sharding.leader-election.lease-name' to at most %d lower-case letters, digits, '-' and '.'."
						.formatted(MAX_LENGTH),
					null);
		}
		return LeaseHolderConfig.leader(ShardSettings.namespace(properties, clientNamespace), name,
				ShardSettings.hostName() + "_" + UUID.randomUUID(), ShardSettings.timings(properties.lease()));
	}

}
