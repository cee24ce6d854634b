package dev.sharding.autoconfigure;

import java.util.Set;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.thread.Threading;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.core.env.Environment;
import org.springframework.core.task.VirtualThreadTaskExecutor;

import dev.sharding.kubernetes.HandOverOptions;
import dev.sharding.kubernetes.RuntimeOptions;
import dev.sharding.kubernetes.Shard;
import dev.sharding.kubernetes.cache.ResourceCaches;
import dev.sharding.kubernetes.drain.DrainHandler;
import dev.sharding.kubernetes.drain.PatchingDrainHandler;
import dev.sharding.kubernetes.lease.LeaseClock;
import dev.sharding.kubernetes.reconcile.EventRecorder;
import dev.sharding.kubernetes.rest.ApiRequests;

/**
 * Auto-configuration for a shard: its Lease, its scoped informers and caches, and the
 * controllers annotated with {@link ShardedController}.
 */
@AutoConfiguration(after = KubernetesClientAutoConfiguration.class,
		afterName = { "org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration",
				"org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration" })
@EnableConfigurationProperties(ShardingProperties.class)
public final class ShardingAutoConfiguration {

	@Bean
	static ResourceCacheRegistrar resourceCacheRegistrar() {
		return new ResourceCacheRegistrar();
	}

	@Bean
	@ConditionalOnMissingBean
	LeaseClock leaseClock() {
		return LeaseClock.SYSTEM;
	}

	@Bean
	@ConditionalOnMissingBean
	HandOverOptions handOverOptions(ShardingProperties properties) {
		return HandOverOptions.DEFAULTS.withTakeOverCheck(properties.reconcile().takeOverCheck());
	}

	@Bean
	@ConditionalOnMissingBean
	RuntimeOptions runtimeOptions(ShardingProperties properties, LeaseClock leaseClock, HandOverOptions handOverOptions,
			ObjectProvider<MeterRegistry> meters, Environment environment) {
		RuntimeOptions options = RuntimeOptions.DEFAULTS.withNamespaces(Set.copyOf(properties.namespaces()))
			.withFieldManager(environment.getProperty("spring.application.name", "sharding"))
			.withGiveUpAfter(properties.informer().failureTimeout())
			.withKeepManagedFields(properties.informer().keepManagedFields())
			.withStopTimeout(properties.reconcile().stopTimeout())
			.withClock(leaseClock)
			.withHandOver(handOverOptions);
		if (Threading.VIRTUAL.isActive(environment)) {
			options = options.withThreads(new VirtualThreadTaskExecutor().getVirtualThreadFactory());
		}
		MeterRegistry registry = meters.getIfAvailable();
		return (registry != null) ? options.withMeters(registry) : options;
	}

	/**
	 * What a shard takes.
	 */
	@Configuration(proxyBeanMethods = false)
	@Conditional(OnShardCondition.class)
	static class ShardConfiguration {

		@Bean
		@ConditionalOnMissingBean
		ShardSettings shardSettings(ShardingProperties properties, KubernetesClient client) {
			return ShardSettings.of(properties, client.getConfiguration().getNamespace(), ShardSettings::hostName);
		}

		@Bean
		@ConditionalOnMissingBean
		LeaseConnection leaseConnection(KubernetesClient client, ShardSettings settings) {
			return new LeaseConnection(client.getConfiguration(), settings.lease().timings());
		}

		@Bean
		@ConditionalOnMissingBean
		DrainHandler drainHandler(KubernetesClient client, ShardSettings settings) {
			return new PatchingDrainHandler(new ApiRequests(client), settings.ring());
		}

		@Bean
		@ConditionalOnMissingBean
		Shard shard(KubernetesClient client, LeaseConnection leaseConnection, ShardSettings settings,
				DrainHandler drainHandler, RuntimeOptions runtimeOptions) {
			return new Shard(client, leaseConnection.client(), settings.ring(), settings.lease(), runtimeOptions,
					drainHandler);
		}

		@Bean
		@Primary
		@ConditionalOnMissingBean(name = ResourceCacheRegistrar.SHARDED_CACHES)
		ResourceCaches resourceCaches(Shard shard) {
			return shard.caches();
		}

		@Bean
		@ConditionalOnMissingBean
		EventRecorder eventRecorder(Shard shard) {
			return shard.events();
		}

		@Bean
		@ConditionalOnMissingBean
		ApplicationExit applicationExit(ApplicationContext context) {
			return new ContextExit(context);
		}

		@Bean
		ShardLifecycle shardLifecycle(Shard shard, KubernetesClient client, ShardingProperties properties,
				ConfigurableListableBeanFactory factory, ApplicationEventPublisher publisher, ApplicationExit exit,
				RuntimeOptions runtimeOptions, ShardSettings settings, Environment environment) {
			StopTimes.of(environment, runtimeOptions, settings.lease().timings()).warnIfTooShort();
			return new ShardLifecycle(shard, new ControllerSpecs(factory, properties.reconcile()),
					new RingCheck(client, shard.ring(), runtimeOptions.namespaces()),
					new ShardWatch(shard.ring(), shard.name(), publisher, exit, properties.lease().onLoss()),
					new InformerMetrics(runtimeOptions.meters()));
		}

	}

	/**
	 * Says that the sharder is not there.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnBooleanProperty("sharding.sharder.enabled")
	@ConditionalOnMissingClass("dev.sharding.sharder.Sharder")
	static class MissingSharderConfiguration {

		MissingSharderConfiguration() {
			throw new ShardingStartupException(
					"'sharding.sharder.enabled' is true, but the sharder is not on the class path",
					"Add the dependency dev.sharding:sharding-sharder, or run the sharder as a program of its own and"
							+ " remove the property.",
					null);
		}

	}

}
