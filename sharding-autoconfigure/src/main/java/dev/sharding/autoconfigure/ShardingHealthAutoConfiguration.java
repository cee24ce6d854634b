package dev.sharding.autoconfigure;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

import dev.sharding.kubernetes.Shard;

/**
 * Auto-configuration for the health of the shard.
 */
@AutoConfiguration(after = ShardingAutoConfiguration.class)
@ConditionalOnClass({ HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class })
@ConditionalOnBean({ Shard.class, ShardLifecycle.class })
public final class ShardingHealthAutoConfiguration {

	@Bean
	@ConditionalOnEnabledHealthIndicator("shard")
	@ConditionalOnMissingBean(name = "shardHealthIndicator")
	ShardHealthIndicator shardHealthIndicator(Shard shard, ShardLifecycle lifecycle) {
		return new ShardHealthIndicator(shard, lifecycle);
	}

	@Bean
	@ConditionalOnEnabledHealthIndicator("shardInformers")
	@ConditionalOnMissingBean(name = "shardInformersHealthIndicator")
	ShardInformersHealthIndicator shardInformersHealthIndicator(Shard shard) {
		return new ShardInformersHealthIndicator(shard);
	}

}
