package dev.sharding.autoconfigure;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.Set;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.thread.Threading;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Primary;
import org.springframework.core.env.Environment;
import org.springframework.core.task.VirtualThreadTaskExecutor;

import dev.sharding.cache.ResourceCaches;
import dev.sharding.controller.EventRecorder;
import dev.sharding.controller.ShardedController;
import dev.sharding.internal.autoconfigure.ring.LeaseConnection;
import dev.sharding.internal.autoconfigure.runtime.ConditionalOnMissingMainBean;
import dev.sharding.internal.autoconfigure.runtime.Customizers;
import dev.sharding.internal.autoconfigure.runtime.FurtherRings;
import dev.sharding.internal.autoconfigure.runtime.MadeControllers;
import dev.sharding.internal.autoconfigure.runtime.OnMainRingCondition;
import dev.sharding.internal.autoconfigure.runtime.OnOurCachesCondition;
import dev.sharding.internal.autoconfigure.runtime.OnShardCondition;
import dev.sharding.internal.autoconfigure.runtime.PartLifecycle;
import dev.sharding.internal.autoconfigure.runtime.ResourceCacheRegistrar;
import dev.sharding.internal.autoconfigure.runtime.RingShards;
import dev.sharding.internal.autoconfigure.runtime.ShardPart;
import dev.sharding.internal.autoconfigure.settings.ElectionLease;
import dev.sharding.internal.autoconfigure.settings.PropertyCheck;
import dev.sharding.internal.autoconfigure.settings.RingNames;
import dev.sharding.internal.autoconfigure.settings.ShardSettings;
import dev.sharding.internal.autoconfigure.settings.ShardingProperties;
import dev.sharding.internal.autoconfigure.settings.ShardingStartupException;
import dev.sharding.internal.autoconfigure.settings.StopTimes;
import dev.sharding.internal.kubernetes.handover.HandOverOptions;
import dev.sharding.internal.kubernetes.handover.PatchingDrainHandler;
import dev.sharding.internal.kubernetes.lease.LeaseClock;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.leadership.LeaderElection;
import dev.sharding.qos.QosShard;
import dev.sharding.shard.ApplicationExit;
import dev.sharding.shard.DrainHandler;
import dev.sharding.shard.RuntimeOptions;
import dev.sharding.shard.RuntimeOptionsCustomizer;
import dev.sharding.shard.Shard;

/**
 * Auto-configuration for a shard: its Lease, its scoped informers and caches, and the
 * controllers annotated with {@link ShardedController}.
 */
@AutoConfiguration(after = KubernetesClientAutoConfiguration.class,
		afterName = { "org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration",
				"org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
				"org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration" })
@EnableConfigurationProperties(ShardingProperties.class)
public final class ShardingAutoConfiguration {

	@Bean
	static ResourceCacheRegistrar resourceCacheRegistrar(Environment environment) {
		return new ResourceCacheRegistrar(environment);
	}

	@Bean
	static PropertyCheck propertyCheck(Environment environment) {
		return new PropertyCheck(environment);
	}

	@Bean
	static LeaderOnlyPostProcessor leaderOnlyPostProcessor(ObjectProvider<LeaderElection> leaderElection) {
		return new LeaderOnlyPostProcessor(leaderElection);
	}

	@Bean
	MadeControllers madeControllers(ConfigurableListableBeanFactory factory, ShardingProperties properties) {
		return new MadeControllers(factory, RingNames.of(properties), properties.reconcile());
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
			ObjectProvider<MeterRegistry> meters, ObjectProvider<ObservationRegistry> observations,
			ObjectProvider<RuntimeOptionsCustomizer> customizers, ListableBeanFactory factory,
			Environment environment) {
		RuntimeOptions options = RuntimeOptions.DEFAULTS.withNamespaces(Set.copyOf(properties.namespaces()))
			.withFieldManager(ShardSettings.fieldManager(environment.getProperty("spring.application.name")))
			.withGiveUpAfter(properties.informer().failureTimeout())
			.withKeepManagedFields(properties.informer().keepManagedFields())
			.withStopTimeout(properties.reconcile().stopTimeout())
			.withClock(leaseClock)
			.withHandOver(handOverOptions)
			.withReads(properties.cache().options())
			.withObservations(observations.getIfUnique(() -> ObservationRegistry.NOOP));
		if (Threading.VIRTUAL.isActive(environment)) {
			options = options.withThreads(new VirtualThreadTaskExecutor().getVirtualThreadFactory());
		}
		AtomicReference<RuntimeOptions> customized = new AtomicReference<>(options.withMeters(Meters.of(meters)));
		Customizers.ask(RuntimeOptionsCustomizer.class, customizers, factory, (customizer) -> customized
			.set(Objects.requireNonNull(customizer.customize(customized.get()), "it returned no options")));
		return customized.get();
	}

	/**
	 * What the shards of all rings share.
	 */
	@Configuration(proxyBeanMethods = false)
	@Conditional(OnShardCondition.class)
	static class ShardConfiguration {

		@Bean
		@ConditionalOnMissingBean
		LeaseConnection leaseConnection(KubernetesClient client, ShardingProperties properties) {
			return new LeaseConnection(client, ShardSettings.timings(properties.lease()));
		}

		@Bean
		@ConditionalOnMissingBean
		ApplicationExit applicationExit(ApplicationContext context) {
			return new ContextExit(context);
		}

		@Bean(FurtherRings.RING_SHARDS)
		RingShards ringShards(KubernetesClient client, LeaseConnection leaseConnection, ShardingProperties properties,
				RuntimeOptions runtimeOptions, ConfigurableListableBeanFactory factory,
				ApplicationEventPublisher publisher, ObjectProvider<ApplicationExit> exit,
				MadeControllers madeControllers, Environment environment) {
			StopTimes.of(environment, runtimeOptions, ShardSettings.timings(properties.lease())).warnIfTooShort();
			return new RingShards(client, leaseConnection, properties, runtimeOptions, factory, publisher, exit,
					madeControllers, ElectionLease.of(environment));
		}

	}

	/**
	 * The shard of the application's ring, unless the user makes it.
	 */
	@Configuration(proxyBeanMethods = false)
	@Conditional({ OnShardCondition.class, OnMainRingCondition.class })
	@ConditionalOnMissingMainBean(Shard.class)
	static class OurShardConfiguration {

		@Bean
		@ConditionalOnMissingBean
		ShardSettings shardSettings(ShardingProperties properties, KubernetesClient client, Environment environment) {
			return ShardSettings.of(properties, client.getConfiguration().getNamespace(), ShardSettings::hostName,
					ElectionLease.of(environment));
		}

		@Bean
		@Primary
		Shard shard(RingShards ringShards, ShardSettings settings, DrainHandler drainHandler) {
			return ringShards.main(settings, drainHandler);
		}

	}

	/**
	 * What belongs to the shard of the application's ring.
	 */
	@Configuration(proxyBeanMethods = false)
	@Conditional({ OnShardCondition.class, OnMainRingCondition.class })
	static class MainShardConfiguration {

		@Bean
		@ConditionalOnMissingBean
		@ConditionalOnProperty(prefix = "sharding", name = "ring")
		DrainHandler drainHandler(KubernetesClient client, ShardingProperties properties) {
			return new PatchingDrainHandler(new ApiRequests(client), Objects.requireNonNull(properties.ring()));
		}

		@Bean
		@Primary
		@ConditionalOnMissingMainBean(QosShard.class)
		QosShard qosShard(Shard shard, KubernetesClient client) {
			return RingShards.limitsOf(shard, client);
		}

		@Bean
		@Primary
		@Conditional(OnOurCachesCondition.class)
		ResourceCaches resourceCaches(Shard shard) {
			return shard.caches();
		}

		@Bean
		@Primary
		@ConditionalOnMissingMainBean(EventRecorder.class)
		EventRecorder eventRecorder(Shard shard) {
			return shard.events();
		}

		@Bean
		@Primary
		ShardPart shardPart(RingShards ringShards, Shard shard) {
			return ringShards.mainPart(shard);
		}

		@Bean
		PartLifecycle shardLifecycle(ShardPart shardPart, ShardingProperties properties) {
			return new PartLifecycle(shardPart, properties.autoStartup());
		}

	}

	/**
	 * Says that the sharder is not there.
	 */
	@Configuration(proxyBeanMethods = false)
	@Lazy(false)
	@ConditionalOnBooleanProperty("sharding.sharder.enabled")
	@ConditionalOnMissingClass("dev.sharding.internal.sharder.Sharder")
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
