package dev.sharding.autoconfigure;

import java.util.Objects;
import java.util.UUID;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.sharding.internal.autoconfigure.settings.ShardSettings;
import dev.sharding.internal.autoconfigure.settings.ShardingProperties;
import dev.sharding.internal.autoconfigure.settings.ShardingStartupException;
import dev.sharding.internal.kubernetes.lease.LeaseHolderConfig;

/**
 * Which Lease the replicas want for the controllers outside any ring.
 */
final class LeaderLease {

	private static final Logger logger = LoggerFactory.getLogger(LeaderLease.class);

	private static final int MAX_LENGTH = 253;

	private static final Pattern NAME = Pattern
		.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");

	private LeaderLease() {
	}

	/**
	 * Completes and checks what the user has set.
	 * @param properties what the user has set
	 * @param clientNamespace the namespace of the pod or of the kubeconfig context
	 * @param application the name of the application, {@code null} if it has none
	 * @return the Lease, and this process as a candidate
	 * @throws ShardingStartupException if no Lease can have that name
	 */
	static LeaseHolderConfig of(ShardingProperties properties, @Nullable String clientNamespace,
			@Nullable String application) {
		String configured = properties.leaderElection().leaseName();
		String name = (configured != null) ? configured
				: Objects.requireNonNullElse(application, "sharding") + "-leader";
		if (configured == null && application == null) {
			// Nothing else would show that one of them does no work.
			logger.warn("The Lease of the leader is named '{}', as this application has no name: another one without a"
					+ " name in the same namespace would stand by for this one. Set 'spring.application.name' or"
					+ " 'sharding.leader-election.lease-name'", name);
		}
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
