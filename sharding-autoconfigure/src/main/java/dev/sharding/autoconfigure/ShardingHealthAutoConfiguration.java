package dev.sharding.autoconfigure;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

import dev.sharding.kubernetes.PlainControllers;
import dev.sharding.kubernetes.Shard;

/**
 * Auto-configuration for the health of the shard and of other controllers.
 */
@AutoConfiguration(after = { ShardingAutoConfiguration.class, PlainControllersAutoConfiguration.class })
@ConditionalOnClass({ HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class })
public final class ShardingHealthAutoConfiguration {

	@Bean
	@ConditionalOnBean({ Shard.class, ShardLifecycle.class })
	@ConditionalOnEnabledHealthIndicator("shard")
	@ConditionalOnMissingBean(name = "shardHealthIndicator")
	ShardHealthIndicator shardHealthIndicator(Shard shard, ShardLifecycle lifecycle) {
		return new ShardHealthIndicator(shard, lifecycle);
	}

	@Bean
	@ConditionalOnBean(Shard.class)
	@ConditionalOnEnabledHealthIndicator("shardInformers")
	@ConditionalOnMissingBean(name = "shardInformersHealthIndicator")
	ShardInformersHealthIndicator shardInformersHealthIndicator(Shard shard) {
		return new ShardInformersHealthIndicator(shard);
	}

	@Bean
	@ConditionalOnBean(PlainControllers.class)
	@ConditionalOnEnabledHealthIndicator("plainControllers")
	@ConditionalOnMissingBean(name = "plainControllersHealthIndicator")
	PlainControllersHealthIndicator plainControllersHealthIndicator(PlainControllers plainControllers) {
		return new PlainControllersHealthIndicator(plainControllers);
	}

}
