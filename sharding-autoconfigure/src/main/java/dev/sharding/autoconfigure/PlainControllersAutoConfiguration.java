package dev.sharding.autoconfigure;

import java.util.UUID;

import io.fabric8.kubernetes.client.KubernetesClient;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

import dev.sharding.core.lease.RenewalTimings;
import dev.sharding.kubernetes.PlainControllers;
import dev.sharding.kubernetes.RuntimeOptions;
import dev.sharding.kubernetes.cache.ResourceCaches;
import dev.sharding.kubernetes.lease.LeaseHolderConfig;

/**
 * Auto-configuration for the controllers annotated with {@link PlainController}.
 */
@AutoConfiguration(after = ShardingAutoConfiguration.class)
@ConditionalOnBean(annotation = PlainController.class)
public final class PlainControllersAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	PlainConnection plainConnection(KubernetesClient client, ShardingProperties properties) {
		return new PlainConnection(
				new LeaseConnection(client.getConfiguration(), ShardSettings.timings(properties.lease())));
	}

	@Bean
	@ConditionalOnMissingBean
	PlainControllers plainControllers(KubernetesClient client, PlainConnection leaseConnection,
			ShardingProperties properties, RuntimeOptions runtimeOptions, Environment environment) {
		if (!properties.leaderElection().enabled()) {
			return PlainControllers.everywhere(client, runtimeOptions);
		}
		String leaseName = properties.leaderElection().leaseName();
		if (leaseName == null) {
			leaseName = environment.getProperty("spring.application.name", "sharding") + "-leader";
		}
		RenewalTimings timings = ShardSettings.timings(properties.lease());
		String namespace = ShardSettings.namespace(properties, client.getConfiguration().getNamespace());
		return PlainControllers.elected(client, leaseConnection.connection().client(), LeaseHolderConfig
			.leader(namespace, leaseName, ShardSettings.hostName() + "_" + UUID.randomUUID(), timings), runtimeOptions);
	}

	@Bean(ResourceCacheRegistrar.PLAIN_CACHES)
	@ConditionalOnMissingBean(name = ResourceCacheRegistrar.PLAIN_CACHES)
	ResourceCaches plainResourceCaches(PlainControllers plainControllers) {
		return plainControllers.caches();
	}

	@Bean
	PlainControllersLifecycle plainControllersLifecycle(PlainControllers plainControllers,
			ShardingProperties properties, RuntimeOptions runtimeOptions, ConfigurableListableBeanFactory factory) {
		return new PlainControllersLifecycle(plainControllers, new ControllerSpecs(factory, properties.reconcile()),
				new InformerMetrics(runtimeOptions.meters()));
	}

	/**
	 * The client for the Lease of the leader.
	 *
	 * @param connection the client
	 */
	record PlainConnection(LeaseConnection connection) implements AutoCloseable {

		@Override
		public void close() {
			this.connection.close();
		}

	}

}
