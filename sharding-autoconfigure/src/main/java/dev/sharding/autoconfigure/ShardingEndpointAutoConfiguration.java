package dev.sharding.autoconfigure;

import io.fabric8.kubernetes.client.KubernetesClient;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import dev.sharding.internal.autoconfigure.ring.RingMembers;
import dev.sharding.internal.autoconfigure.runtime.ControllerPart;
import dev.sharding.internal.autoconfigure.runtime.LeaderElectedPart;
import dev.sharding.internal.autoconfigure.runtime.ShardPart;
import dev.sharding.internal.kubernetes.lease.LeaseClock;

/**
 * Auto-configuration for the endpoints {@code sharding} and {@code reads}.
 */
@AutoConfiguration(after = { ShardingAutoConfiguration.class, FurtherRingsAutoConfiguration.class,
		LeaderElectedControllersAutoConfiguration.class })
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
public final class ShardingEndpointAutoConfiguration {

	/**
	 * The endpoint {@code sharding}, if it is exposed in any way.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnAvailableEndpoint(ShardingEndpoint.class)
	static class EndpointConfiguration {

		@Bean
		@ConditionalOnBean(ControllerPart.class)
		@ConditionalOnMissingBean
		ShardingEndpoint shardingEndpoint(ObjectProvider<ShardPart> shards,
				ObjectProvider<LeaderElectedPart> leaderElected, KubernetesClient client, LeaseClock leaseClock) {
			return new ShardingEndpoint(shards.orderedStream().toList(), leaderElected.orderedStream().toList(),
					new RingMembers(client), leaseClock);
		}

	}

	/**
	 * The endpoint {@code reads}, if it is exposed in any way.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnAvailableEndpoint(ReadsEndpoint.class)
	static class ReadsConfiguration {

		@Bean
		@ConditionalOnBean(ControllerPart.class)
		@ConditionalOnMissingBean
		ReadsEndpoint readsEndpoint(ObjectProvider<ControllerPart> parts) {
			return new ReadsEndpoint(parts.orderedStream().toList());
		}

	}

}
