package dev.sharding.internal.autoconfigure.runtime;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.AnnotatedElementUtils;

import dev.sharding.client.KubernetesConnectionDetails;
import dev.sharding.autoconfigure.Apps;
import dev.sharding.autoconfigure.KubernetesClientAutoConfiguration;
import dev.sharding.autoconfigure.LeaderElectedControllersAutoConfigurationTests;
import dev.sharding.cache.ResourceCache;
import dev.sharding.cache.ResourceCaches;
import dev.sharding.client.KubernetesClientCustomizer;
import dev.sharding.controller.EventRecorder;
import dev.sharding.internal.autoconfigure.ring.LeaseConnection;
import dev.sharding.internal.autoconfigure.settings.ShardSettings;
import dev.sharding.internal.core.lease.RenewalTimings;
import dev.sharding.internal.kubernetes.handover.HandOverOptions;
import dev.sharding.internal.kubernetes.lease.LeaseClock;
import dev.sharding.internal.kubernetes.lease.LeaseHolderConfig;
import dev.sharding.internal.sharder.Sharder;
import dev.sharding.shard.ApplicationExit;
import dev.sharding.shard.DrainHandler;
import dev.sharding.shard.LeaderElectedControllers;
import dev.sharding.shard.RuntimeOptions;
import dev.sharding.shard.RuntimeOptionsCustomizer;
import dev.sharding.shard.RuntimePhase;
import dev.sharding.shard.Shard;
import dev.sharding.shard.ShardWork;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * That beans of the user come first, and that ours do not get into the way of others.
 */
class BackOffTests {

	private final ApplicationContextRunner shard = Apps.shard();

	@Test
	void usesTheClientOfTheUserAndLeavesItAsItIs() {
		this.shard.run((context) -> {
			assertThat(context).hasSingleBean(KubernetesClient.class).hasBean("unreachable");
			KubernetesClient client = context.getBean(KubernetesClient.class);
			assertThat(context.getBean(Shard.class).client()).isSameAs(client);
			Config untouched = new Apps.UnreachableCluster().unreachable().getConfiguration();
			assertThat(Serialization.asYaml(client.getConfiguration())).isEqualTo(Serialization.asYaml(untouched));
			assertThat(context.getBean(LeaseConnection.class).client()).isNotSameAs(client);
		});
	}

	/* A test may bring one for its own API server beside that of the application. */
	@Test
	void connectsToWhatThePrimaryConnectionDetailsName() {
		new ApplicationContextRunner().withConfiguration(Apps.everything())
			.withBean("primary", KubernetesConnectionDetails.class, () -> () -> at("https://127.0.0.1:1/"),
					(definition) -> definition.setPrimary(true))
			.withBean("other", KubernetesConnectionDetails.class, () -> () -> at("https://127.0.0.1:2/"))
			.run((context) -> assertThat(context.getBean(KubernetesClient.class).getMasterUrl())
				.hasToString("https://127.0.0.1:1/"));
	}

	private static Config at(String address) {
		return new ConfigBuilder(Config.empty()).withMasterUrl(address).build();
	}

	/* Else which of the two clients is made would be a matter of their names. */
	@Test
	void leavesTheClientToSpringCloudKubernetes() {
		assertThat(AnnotatedElementUtils.findMergedAnnotation(KubernetesClientAutoConfiguration.class,
				AutoConfiguration.class))
			.satisfies((annotation) -> assertThat(annotation.afterName())
				.contains("org.springframework.cloud.kubernetes.fabric8.Fabric8AutoConfiguration"));
	}

	@Test
	void usesABeanOfTheUserForEachOfOurs() {
		this.shard.withUserConfiguration(Own.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertOnlyOwn(context, DrainHandler.class, LeaseClock.class, HandOverOptions.class, RuntimeOptions.class,
					ApplicationExit.class, EventRecorder.class, ResourceCaches.class);
			assertThat(context.getBean(RuntimeOptions.class).fieldManager()).isEqualTo("mine");
			ResourceCaches own = context.getBean("ownCaches", ResourceCaches.class);
			assertThat(context.getBean("secretCache")).isSameAs(own.of(Secret.class));
		});
	}

	@Test
	void usesABeanOfTheUserForEachOfOursOutsideAnyRing() {
		this.shard.withUserConfiguration(OwnPlain.class).withPropertyValues("sharding.enabled=false").run((context) -> {
			assertThat(context).hasNotFailed();
			assertOnlyOwn(context, LeaderElectedControllers.class, EventRecorder.class, ApplicationExit.class,
					ResourceCaches.class);
			assertThat(context.getBean(LeaderElectedControllers.class).controllers()).hasSize(1);
			ResourceCaches own = context.getBean("ownCaches", ResourceCaches.class);
			assertThat(context.getBean("secretCache")).isSameAs(own.of(Secret.class));
		});
	}

	@Test
	void usesCachesOfTheUserByTheNameOfOurs() {
		ResourceCaches own = LeaderElectedControllers
			.everywhere(new Apps.UnreachableCluster().unreachable(), RuntimeOptions.DEFAULTS)
			.caches();
		this.shard.withUserConfiguration(LeaderElectedControllersAutoConfigurationTests.ServiceController.class)
			.withBean(Caches.NO_RING, ResourceCaches.class, () -> own)
			.run((context) -> {
				assertThat(context).hasNotFailed().hasBean(Caches.SHARDED);
				assertThat(context.getBean(Caches.NO_RING)).isSameAs(own);
			});
		this.shard.withBean(Caches.SHARDED, ResourceCaches.class, () -> own)
			.run((context) -> assertThat(context.getBean(ResourceCaches.class)).isSameAs(own));
	}

	@Test
	void usesIndicatorsOfTheUser() {
		for (String indicator : new String[] { "shardingHealthIndicator", "sharderHealthIndicator" }) {
			HealthIndicator own = () -> Health.up().build();
			this.shard.withPropertyValues("sharding.sharder.enabled=true")
				.run((context) -> assertThat(context).hasBean(indicator));
			this.shard.withPropertyValues("sharding.sharder.enabled=true")
				.withBean(indicator, HealthIndicator.class, () -> own)
				.run((context) -> assertThat(context.getBean(indicator)).isSameAs(own));
		}
	}

	/* The only one that is injected without a qualifier, and not one of ours. */
	private static void assertOnlyOwn(AssertableApplicationContext context, Class<?>... types) {
		for (Class<?> type : types) {
			assertThat(context.getBeanNamesForType(type)).as(type.getSimpleName())
				.filteredOn((name) -> OnMissingMainBeanCondition.isCandidate(
						context.getSourceApplicationContext(ConfigurableApplicationContext.class).getBeanFactory(),
						name))
				.singleElement()
				.asString()
				.startsWith("own");
		}
	}

	@Test
	void usesAShardOfTheUserWithoutTheNameOfARing() {
		Apps.application().withUserConfiguration(Apps.SecretController.class, OwnShard.class).run((context) -> {
			assertThat(context).hasNotFailed().hasSingleBean(Shard.class);
			assertThat(context).doesNotHaveBean(ShardSettings.class);
			assertThat(context.getBean(ShardPart.class).shard()).isSameAs(context.getBean("ownShard"));
			assertThat(context.getBean(Shard.class).controllers()).hasSize(1);
		});
	}

	@Test
	void startsAShardOfTheUserWithALoopOfItsOwn() {
		Apps.application().withUserConfiguration(OwnShard.class, OwnLoop.class).run((context) -> {
			assertThat(context).hasNotFailed().hasSingleBean(Shard.class);
			assertThat(context.getBean("shardLifecycle", PartLifecycle.class).isRunning()).isTrue();
			assertThat(context.getBean(Shard.class).phase()).isNotEqualTo(RuntimePhase.STOPPED);
		});
	}

	/* That it was started before is noticed after the first look at the ring. */
	@Test
	void aShardThatCannotStartLeavesNoThreadBehind() {
		Apps.application()
			.withUserConfiguration(OwnShard.class, StartedLoop.class)
			.run((context) -> assertThat(context).getFailure().rootCause().hasMessageContaining("was started before"));
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet()).extracting(Thread::getName)
				.doesNotContain("sharding-ring-check"));
	}

	@Test
	void startsNoShardOfTheUserWhereNothingIsSharded() {
		Apps.application()
			.withUserConfiguration(OwnShard.class)
			.withPropertyValues("sharding.enabled=false", "sharding.leader-election.enabled=false")
			.run((context) -> {
				assertThat(context).hasNotFailed().doesNotHaveBean(ShardPart.class);
				assertThat(context.getBean(Shard.class).phase()).isEqualTo(RuntimePhase.STOPPED);
			});
	}

	@Test
	void usesTheCachesOfAShardOfTheUser() {
		Apps.application()
			.withUserConfiguration(Apps.SecretController.class, OwnShard.class, CachesOfOwnShard.class)
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(Caches.SHARDED)
				.hasBean("cachesOfOwnShard"));
	}

	@Test
	void leavesCachesOfAnotherRingAlone() {
		this.shard.withPropertyValues("sharding.rings.websites.shard-name=web-1")
			.withUserConfiguration(CachesOfWebsites.class)
			.run((context) -> assertThat(context).hasNotFailed().hasBean(Caches.SHARDED).hasBean("web"));
	}

	@Test
	void keepsTheHandlerOfDrainsForAShardOfTheUser() {
		Apps.application()
			.withPropertyValues("sharding.ring=own")
			.withUserConfiguration(Apps.SecretController.class, OwnShard.class)
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(DrainHandler.class));
	}

	@Test
	void usesACacheOfTheUser() {
		this.shard.withUserConfiguration(OwnCache.class)
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("secretCache").hasBean("ownCache"));
	}

	@Test
	void asksCustomizers() {
		this.shard.withBean(RuntimeOptionsCustomizer.class, () -> (options) -> options.withFieldManager("customized"))
			.run((context) -> assertThat(context.getBean(RuntimeOptions.class).fieldManager()).isEqualTo("customized"));
		new ApplicationContextRunner().withConfiguration(Apps.everything())
			.withBean(KubernetesClientCustomizer.class,
					() -> (builder) -> builder
						.withConfig(new Apps.UnreachableCluster().unreachable().getConfiguration()))
			.run((context) -> assertThat(context.getBean(KubernetesClient.class).getMasterUrl())
				.hasToString("https://127.0.0.1:1/"));
	}

	@Test
	void hasNoBeansThatOthersMightPickUp() {
		this.shard.withPropertyValues("sharding.sharder.enabled=true", "sharding.qos.enabled=true")
			.run((context) -> Stream
				.of(Executor.class, Runnable.class, Callable.class, Supplier.class, Consumer.class, Function.class,
						BiFunction.class, Predicate.class, Thread.class, Config.class, CompletableFuture.class)
				.forEach((type) -> assertThat(context.getBeanNamesForType(type)).as(type.getName()).isEmpty()));
	}

	@Test
	void worksWithoutOptionalClasses() {
		for (FilteredClassLoader without : new FilteredClassLoader[] { new FilteredClassLoader(Sharder.class),
				new FilteredClassLoader("io.github.resilience4j"),
				new FilteredClassLoader("org.springframework.boot.micrometer"),
				new FilteredClassLoader("org.springframework.boot.actuate", "org.springframework.boot.health") }) {
			this.shard.withClassLoader(without)
				.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(Shard.class));
		}
	}

	@Test
	void usesMetersAndObservationsIfThereAreAny() {
		this.shard.run((context) -> assertThat(context.getBean(RuntimeOptions.class).observations().isNoop()).isTrue());
		SimpleMeterRegistry meters = new SimpleMeterRegistry();
		ObservationRegistry observations = ObservationRegistry.create();
		this.shard.withBean(MeterRegistry.class, () -> meters)
			.withBean(ObservationRegistry.class, () -> observations)
			.run((context) -> {
				assertThat(context.getBean(RuntimeOptions.class).meters()).isSameAs(meters);
				assertThat(context.getBean(RuntimeOptions.class).observations()).isSameAs(observations);
			});
	}

	@Test
	void usesAllMetersIfNoneComesFirst() {
		SimpleMeterRegistry one = new SimpleMeterRegistry();
		SimpleMeterRegistry other = new SimpleMeterRegistry();
		this.shard.withBean("one", MeterRegistry.class, () -> one)
			.withBean("other", MeterRegistry.class, () -> other)
			.withPropertyValues("sharding.sharder.enabled=true", "sharding.qos.enabled=true")
			.run((context) -> {
				assertThat(context).hasNotFailed();
				context.getBean(RuntimeOptions.class).meters().counter("probe").increment();
				assertThat(one.get("probe").counter().count()).isOne();
				assertThat(other.get("probe").counter().count()).isOne();
			});
	}

	@Test
	void doesNothingUnasked() {
		Apps.application()
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(ControllerPart.class)
				.doesNotHaveBean(PartLifecycle.class)
				.doesNotHaveBean(LeaderElectedControllers.class)
				.doesNotHaveBean(LeaseConnection.class));
	}

	@Configuration(proxyBeanMethods = false)
	static class Own {

		@Bean
		DrainHandler ownDrainHandler() {
			return (type, object) -> true;
		}

		@Bean
		LeaseClock ownClock() {
			return LeaseClock.SYSTEM;
		}

		@Bean
		HandOverOptions ownHandOver() {
			return HandOverOptions.DEFAULTS;
		}

		@Bean
		RuntimeOptions ownOptions() {
			return RuntimeOptions.DEFAULTS.withFieldManager("mine");
		}

		@Bean
		ApplicationExit ownExit() {
			return (reason) -> {
			};
		}

		@Bean
		EventRecorder ownRecorder(Shard shard) {
			return shard.events();
		}

		@Bean
		ResourceCaches ownCaches(Shard shard) {
			return shard.caches();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnPlain {

		@Bean
		LeaderElectedControllers ownControllers(KubernetesClient client) {
			return LeaderElectedControllers.everywhere(client, RuntimeOptions.DEFAULTS);
		}

		@Bean
		EventRecorder ownRecorder(LeaderElectedControllers controllers) {
			return controllers.events("example.com/own", "own");
		}

		@Bean
		ApplicationExit ownExit() {
			return (reason) -> {
			};
		}

		@Bean
		ResourceCaches ownCaches(LeaderElectedControllers controllers) {
			return controllers.caches();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnShard {

		@Bean
		Shard ownShard(KubernetesClient client) {
			return new Shard(client, client, "own",
					// Short, as one that was started tries to give its Lease back for as
					// long.
					LeaseHolderConfig.shard("default", "own", "own-1",
							RenewalTimings.of(Duration.ofSeconds(2), null, null)),
					RuntimeOptions.DEFAULTS);
		}

	}

	static class OwnLoop implements ShardWork {

		OwnLoop(Shard shard) {
			shard.add(this);
		}

		@Override
		public void begin() {
			// Nothing to do.
		}

		@Override
		public void end() {
			// Nothing to do.
		}

	}

	static class StartedLoop extends OwnLoop {

		StartedLoop(Shard shard) {
			super(shard);
			shard.start();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class CachesOfOwnShard {

		@Bean
		ResourceCaches cachesOfOwnShard(Shard shard) {
			return shard.caches();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class CachesOfWebsites {

		@Bean
		@Qualifier("websites")
		ResourceCaches web(@Qualifier("websites") Shard shard) {
			return shard.caches();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnCache {

		@Bean
		ResourceCache<Secret> ownCache(Shard shard) {
			return shard.caches().of(Secret.class);
		}

	}

}
