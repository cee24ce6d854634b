package dev.sharding.autoconfigure;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.core.ResolvableType;
import org.springframework.core.io.support.SpringFactoriesLoader;

import dev.sharding.kubernetes.HandOverOptions;
import dev.sharding.kubernetes.RuntimeOptions;
import dev.sharding.kubernetes.RuntimePhase;
import dev.sharding.kubernetes.Shard;
import dev.sharding.kubernetes.cache.ResourceCache;
import dev.sharding.kubernetes.cache.ResourceCaches;
import dev.sharding.kubernetes.drain.DrainHandler;
import dev.sharding.kubernetes.lease.LeaseClock;
import dev.sharding.kubernetes.reconcile.ControllerSpec;
import dev.sharding.kubernetes.reconcile.Reconciler;
import dev.sharding.kubernetes.reconcile.Result;
import dev.sharding.kubernetes.resource.ResourceType;
import dev.sharding.sharder.ElectionOptions;
import dev.sharding.sharder.Sharder;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Without an API server: at the address of the client nobody listens.
 */
class ShardingAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(KubernetesClientAutoConfiguration.class, ShardingAutoConfiguration.class,
						ShardingHealthAutoConfiguration.class, EmbeddedSharderAutoConfiguration.class))
		.withUserConfiguration(UnreachableCluster.class);

	private final ApplicationContextRunner shard = this.runner.withUserConfiguration(SecretController.class)
		.withPropertyValues("sharding.ring=ring", "sharding.shard-name=shard-1", "sharding.lease.namespace=default");

	@Test
	void isNoShardWithoutControllerAndRing() {
		this.runner.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(Shard.class));
	}

	@Test
	void refusesToStartWithoutRing() {
		this.runner.withUserConfiguration(SecretController.class).run((context) -> {
			FailureAnalysis analysis = analysis(context.getStartupFailure());
			assertThat(analysis.getDescription()).contains("@ShardedController");
			assertThat(analysis.getAction()).contains("'sharding.ring'");
		});
	}

	@Test
	void refusesAShardNameThatIsTooLong() {
		this.shard.withPropertyValues("sharding.shard-name=" + "a".repeat(64))
			.run((context) -> assertThat(analysis(context.getStartupFailure()).getAction())
				.contains("'sharding.shard-name'"));
	}

	@Test
	void refusesImpossibleLeaseTimes() {
		this.shard.withPropertyValues("sharding.lease.duration=10s", "sharding.lease.renew-deadline=20s")
			.run((context) -> assertThat(analysis(context.getStartupFailure()).getAction())
				.contains("'sharding.lease.renew-deadline'"));
	}

	@Test
	void refusesControllersThatAreNoReconcilers() {
		this.runner.withUserConfiguration(NoReconciler.class)
			.withPropertyValues("sharding.ring=ring")
			.run((context) -> assertThat(analysis(context.getStartupFailure()).getDescription())
				.contains("noReconciler"));
	}

	@Test
	void namesBadValuesOfOtherProperties() {
		this.shard.withPropertyValues("sharding.reconcile.concurrency=0")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("'concurrency' must be positive (is 0)"));
	}

	@Test
	void joinsTheRingOfTheProperties() {
		this.shard.withPropertyValues("sharding.lease.duration=3s", "sharding.lease.retry-period=500ms")
			.run((context) -> {
				Shard joined = context.getBean(Shard.class);
				assertThat(joined.ring()).isEqualTo("ring");
				assertThat(joined.name()).isEqualTo("shard-1");
				assertThat(joined.phase()).isEqualTo(RuntimePhase.SYNCING);
				assertThat(joined.lease().config().path()).isEqualTo("default/shard-1");
				assertThat(joined.lease().config().timings().renewDeadline()).isEqualTo(Duration.ofSeconds(2));
				assertThat(joined.lease().config().timings().retryPeriod()).isEqualTo(Duration.ofMillis(500));
				assertThat(joined.controllers()).singleElement().satisfies((controller) -> {
					assertThat(controller.spec().name()).isEqualTo("secretController");
					assertThat(controller.spec().watches()).singleElement()
						.satisfies((watch) -> assertThat(watch.type()).isEqualTo(ResourceType.of(ConfigMap.class)));
				});
			});
	}

	@Test
	void doesNotJoinWithoutController() {
		this.runner.withPropertyValues("sharding.ring=ring", "sharding.lease.namespace=default").run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBean(Shard.class).phase()).isEqualTo(RuntimePhase.STOPPED);
		});
	}

	@Test
	void injectsCachesOfTheDeclaredResources() {
		this.shard.withUserConfiguration(CacheUser.class).run((context) -> {
			CacheUser user = context.getBean(CacheUser.class);
			ResourceCaches caches = context.getBean(ResourceCaches.class);
			assertThat(user.secrets).isSameAs(caches.of(Secret.class));
			assertThat(user.configMaps).isSameAs(caches.of(ConfigMap.class));
		});
	}

	@Test
	void readsControllersWithoutCreatingThem() {
		this.shard
			.withBean("check", BeanFactoryPostProcessor.class,
					() -> (factory) -> assertThat(factory.containsSingleton("secretController")).isFalse())
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(SecretController.class));
	}

	@Test
	void takesControllersOfFactoryMethodsAndSpecifications() {
		this.runner.withUserConfiguration(ControllerMethods.class)
			.withPropertyValues("sharding.ring=ring", "sharding.shard-name=shard-1", "sharding.lease.namespace=default")
			.run((context) -> {
				assertThat(context.getBean(Shard.class).controllers())
					.extracting((controller) -> controller.spec().name())
					.containsExactlyInAnyOrder("byMethod", "website");
				assertThat(context
					.getBeanNamesForType(ResolvableType.forClassWithGenerics(ResourceCache.class, Secret.class)))
					.hasSize(1);
			});
	}

	@Test
	void aReconcilerCompletesItsController() {
		this.runner.withUserConfiguration(CustomizedController.class)
			.withPropertyValues("sharding.ring=ring", "sharding.shard-name=shard-1", "sharding.lease.namespace=default",
					"sharding.reconcile.resync-period=0")
			.run((context) -> assertThat(context.getBean(Shard.class).controllers()).singleElement()
				.satisfies((controller) -> {
					assertThat(controller.spec().name()).isEqualTo("renamed");
					assertThat(controller.spec().concurrency()).isEqualTo(3);
					assertThat(controller.spec().resync()).isNull();
				}));
	}

	@Test
	void backsOffWhenTheUserHasBeansOfHisOwn() {
		DrainHandler drainHandler = (type, object) -> true;
		this.shard.withBean(DrainHandler.class, () -> drainHandler).run((context) -> {
			assertThat(context.getBean(DrainHandler.class)).isSameAs(drainHandler);
			assertThat(context).hasSingleBean(KubernetesClient.class).hasBean("unreachable");
		});
	}

	@Test
	void theSafeguardsOfTheHandOverAreOn() {
		this.shard.run((context) -> {
			assertThat(context.getBean(RuntimeOptions.class).handOver()).isEqualTo(HandOverOptions.DEFAULTS);
			assertThat(context.getBean(RuntimeOptions.class).clock()).isSameAs(LeaseClock.SYSTEM);
		});
		this.shard.withPropertyValues("sharding.reconcile.take-over-check=false")
			.run((context) -> assertThat(context.getBean(RuntimeOptions.class).handOver())
				.isEqualTo(HandOverOptions.DEFAULTS.withTakeOverCheck(false)));
	}

	@Test
	void aTestCanPutOtherClocksAndAnotherLawInPlace() {
		LeaseClock clock = new LeaseClock(InstantSource.offset(InstantSource.system(), Duration.ofSeconds(15)),
				System::nanoTime);
		HandOverOptions unsafe = HandOverOptions.DEFAULTS
			.withTermStart((caches) -> CompletableFuture.completedFuture(null));
		this.shard.withBean(LeaseClock.class, () -> clock)
			.withBean(HandOverOptions.class, () -> unsafe)
			.run((context) -> {
				assertThat(context.getBean(RuntimeOptions.class).clock()).isSameAs(clock);
				assertThat(context.getBean(RuntimeOptions.class).handOver()).isSameAs(unsafe);
			});
	}

	@Test
	void registersMeters() {
		this.shard.withBean(MeterRegistry.class, SimpleMeterRegistry::new).run((context) -> {
			MeterRegistry meters = context.getBean(MeterRegistry.class);
			assertThat(meters.get("sharding.lease.held").gauge().value()).isZero();
			assertThat(meters.get("sharding.fence.refused").tag("ring", "ring").counters()).hasSize(2)
				.allSatisfy((counter) -> assertThat(counter.count()).isZero());
			assertThat(meters.get("sharding.informer.objects").gauges()).hasSize(2)
				.allSatisfy((gauge) -> assertThat(gauge.value()).isZero());
			assertThat(meters.get("sharding.informer.relists").functionCounters()).hasSize(2)
				.allSatisfy((counter) -> assertThat(counter.count()).isZero());
			for (String name : List.of("entries", "held.events", "oldest")) {
				assertThat(meters.get("sharding.overlay." + name).gauges()).hasSize(2)
					.allSatisfy((gauge) -> assertThat(gauge.value()).isZero());
			}
		});
	}

	@Test
	void healthTellsWhatIsMissing() {
		this.shard.run((context) -> {
			var health = context.getBean("shardHealthIndicator", HealthIndicator.class).health();
			assertThat(health).isNotNull();
			assertThat(health.getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
			assertThat(health.getDetails()).containsEntry("ring", "ring")
				.containsEntry("shard", "shard-1")
				.containsEntry("phase", RuntimePhase.SYNCING);
			HealthIndicator informers = context.getBean("shardInformersHealthIndicator", HealthIndicator.class);
			Awaitility.await()
				.untilAsserted(() -> assertThat(informers.health()).isNotNull()
					.satisfies((unreachable) -> assertThat(unreachable.getStatus()).isEqualTo(Status.DOWN)));
		});
	}

	@Test
	void healthCanBeSwitchedOff() {
		this.shard.withPropertyValues("management.health.shard.enabled=false")
			.run((context) -> assertThat(context).doesNotHaveBean("shardHealthIndicator")
				.hasBean("shardInformersHealthIndicator"));
		this.shard.withClassLoader(new FilteredClassLoader(HealthIndicator.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(ShardHealthIndicator.class));
	}

	@Test
	void publishesPhasesAsEvents() {
		this.shard.withUserConfiguration(Events.class).run((context) -> {
			Events events = context.getBean(Events.class);
			Awaitility.await()
				.untilAsserted(() -> assertThat(events.seen)
					.contains(new ShardPhaseEvent("ring", "shard-1", RuntimePhase.SYNCING, "")));
		});
	}

	@Test
	void leavesTheRingWhenTheContextCloses() {
		List<Shard> left = new ArrayList<>();
		this.shard.run((context) -> left.add(context.getBean(Shard.class)));
		assertThat(left).singleElement()
			.satisfies((shard) -> assertThat(shard.phase()).isEqualTo(RuntimePhase.STOPPED));
	}

	@Test
	void runsASharderIfToldTo() {
		this.runner.run((context) -> assertThat(context).doesNotHaveBean(EmbeddedSharder.class));
		this.runner.withPropertyValues("sharding.sharder.enabled=true").run((context) -> {
			assertThat(context).hasNotFailed().doesNotHaveBean(Shard.class);
			EmbeddedSharder sharder = context.getBean(EmbeddedSharder.class);
			assertThat(sharder.isRunning()).isTrue();
			assertThat(sharder.sharder().status().isElected()).isFalse();
			assertThat(context.getBean(SharderProperties.class).leaderElection().toOptions())
				.isEqualTo(ElectionOptions.DEFAULT);
			HealthIndicator health = context.getBean("sharderHealthIndicator", HealthIndicator.class);
			Awaitility.await()
				.untilAsserted(() -> assertThat(health.health()).isNotNull()
					.satisfies((unreachable) -> assertThat(unreachable.getStatus()).isEqualTo(Status.DOWN)));
		});
	}

	@Test
	void saysThatTheSharderIsNotOnTheClassPath() {
		this.runner.withPropertyValues("sharding.sharder.enabled=true")
			.withClassLoader(new FilteredClassLoader(Sharder.class))
			.run((context) -> assertThat(analysis(context.getStartupFailure()).getAction())
				.contains("dev.sharding:sharding-sharder"));
	}

	private static FailureAnalysis analysis(Throwable failure) {
		return SpringFactoriesLoader.forDefaultResourceLocation()
			.load(FailureAnalyzer.class, (type, name, otherNeedsArguments) -> {
			})
			.stream()
			.filter((analyzer) -> analyzer instanceof ShardingStartupFailureAnalyzer)
			.map((analyzer) -> analyzer.analyze(failure))
			.findFirst()
			.orElseThrow();
	}

	@Configuration(proxyBeanMethods = false)
	static class UnreachableCluster {

		@Bean
		KubernetesClient unreachable() {
			return new KubernetesClientBuilder()
				.withConfig(new ConfigBuilder().withAutoConfigure(false).withMasterUrl("https://127.0.0.1:1").build())
				.build();
		}

	}

	@ShardedController(value = "secretController", owns = ConfigMap.class)
	static class SecretController implements Reconciler<Secret> {

		@Override
		public Result reconcile(Secret object) {
			return Result.done();
		}

	}

	@ShardedController("noReconciler")
	static class NoReconciler {

	}

	@ShardedController
	static class CustomizedController implements Reconciler<Secret>, ControllerCustomizer<Secret> {

		@Override
		public Result reconcile(Secret object) {
			return Result.done();
		}

		@Override
		public void customize(ControllerSpec.Builder<Secret> controller) {
			controller.named("renamed").concurrency(3);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ControllerMethods {

		@Bean
		@ShardedController
		Reconciler<Secret> byMethod() {
			return (secret) -> Result.done();
		}

		@Bean
		ControllerSpec<?> website() {
			return ControllerSpec.of(ResourceType.of(new ResourceDefinitionContext.Builder().withGroup("example.com")
				.withVersion("v1")
				.withKind("Website")
				.withPlural("websites")
				.withNamespaced(true)
				.build()), (website) -> Result.done()).build();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class CacheUser {

		private final ResourceCache<Secret> secrets;

		private final ResourceCache<ConfigMap> configMaps;

		CacheUser(ResourceCache<Secret> secrets, ResourceCache<ConfigMap> configMaps) {
			this.secrets = secrets;
			this.configMaps = configMaps;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Events {

		private final List<ShardPhaseEvent> seen = new CopyOnWriteArrayList<>();

		@EventListener
		void on(ShardPhaseEvent event) {
			this.seen.add(event);
		}

	}

}
