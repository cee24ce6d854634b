package dev.sharding.autoconfigure;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

import dev.sharding.internal.autoconfigure.runtime.ControllerPart;
import dev.sharding.internal.autoconfigure.runtime.LeaderElectedPart;
import dev.sharding.internal.autoconfigure.runtime.ShardPart;
import dev.sharding.leadership.LeaderElection;

/**
 * Auto-configuration for the health of the controllers. Where there are several rings,
 * there is one component for each, named as the ring, and {@code noRing} for controllers
 * outside any ring.
 */
@AutoConfiguration(after = { ShardingAutoConfiguration.class, FurtherRingsAutoConfiguration.class,
		LeaderElectedControllersAutoConfiguration.class })
@ConditionalOnClass({ HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class })
public final class ShardingHealthAutoConfiguration {

	@Bean
	@ConditionalOnBean(ShardPart.class)
	@ConditionalOnEnabledHealthIndicator("shardlease")
	@ConditionalOnMissingBean(name = { "shardLeaseHealthContributor", "shardLeaseHealthIndicator" })
	HealthContributor shardLeaseHealthContributor(ObjectProvider<ShardPart> parts) {
		return contributor(parts, ShardLeaseHealthIndicator::new);
	}

	@Bean
	@ConditionalOnBean(ControllerPart.class)
	@ConditionalOnEnabledHealthIndicator("informers")
	@ConditionalOnMissingBean(name = { "informersHealthContributor", "informersHealthIndicator" })
	HealthContributor informersHealthContributor(ObjectProvider<ControllerPart> parts) {
		return contributor(parts, InformersHealthIndicator::new);
	}

	@Bean
	@ConditionalOnBean(ControllerPart.class)
	@ConditionalOnEnabledHealthIndicator("reconcilers")
	@ConditionalOnMissingBean(name = { "reconcilersHealthContributor", "reconcilersHealthIndicator" })
	HealthContributor reconcilersHealthContributor(ObjectProvider<ControllerPart> parts) {
		return contributor(parts, ReconcilersHealthIndicator::new);
	}

	@Bean
	@ConditionalOnBean({ LeaderElection.class, LeaderElectedPart.class })
	@ConditionalOnEnabledHealthIndicator("leaderelection")
	@ConditionalOnMissingBean(name = { "leaderElectionHealthContributor", "leaderElectionHealthIndicator" })
	HealthContributor leaderElectionHealthContributor(LeaderElection leaderElection,
			LeaderElectedPart leaderElectedPart) {
		return new LeaderElectionHealthIndicator(leaderElection, leaderElectedPart);
	}

	private static <P extends ControllerPart> HealthContributor contributor(ObjectProvider<P> parts,
			Function<P, HealthIndicator> indicator) {
		Map<String, P> byName = new LinkedHashMap<>();
		parts.orderedStream().forEach((part) -> byName.put(part.name(), part));
		return (byName.size() == 1) ? indicator.apply(byName.values().iterator().next())
				: CompositeHealthContributor.fromMap(byName, indicator);
	}

}
