package dev.sharding.autoconfigure;

import java.time.Duration;
import java.util.List;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.Service;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.ResolvableType;

import dev.sharding.autoconfigure.Apps.SecretController;
import dev.sharding.cache.ResourceCache;
import dev.sharding.cache.ResourceCaches;
import dev.sharding.controller.EventRecorder;
import dev.sharding.controller.LeaderElectedController;
import dev.sharding.controller.ReconcileContext;
import dev.sharding.controller.Reconciler;
import dev.sharding.controller.Result;
import dev.sharding.internal.autoconfigure.runtime.PartLifecycle;
import dev.sharding.internal.autoconfigure.runtime.LeaderElectedPart;
import dev.sharding.shard.LeaderElectedControllers;
import dev.sharding.shard.RuntimeOptions;
import dev.sharding.shard.RuntimePhase;
import dev.sharding.shard.Shard;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
public class LeaderElectedControllersAutoConfigurationTests {

	private final ApplicationContextRunner runner = Apps.application()
		.withPropertyValues("sharding.lease.namespace=default", "spring.application.name=app");

	@Test
	void doesNothingWithoutController() {
		this.runner
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LeaderElectedControllers.class));
	}

	@Test
	void needsNoRingAndElectsALeader() {
		this.runner.withUserConfiguration(ServiceController.class).run((context) -> {
			assertThat(context).hasNotFailed().doesNotHaveBean(Shard.class);
			LeaderElectedControllers controllers = context.getBean(LeaderElectedControllers.class);
			assertThat(controllers.phase()).isEqualTo(RuntimePhase.SYNCING);
			assertThat(controllers.lease()).isNotNull();
			assertThat(controllers.lease().config().path()).isEqualTo("default/app-leader");
			assertThat(controllers.controllers()).singleElement()
				.satisfies((controller) -> assertThat(controller.spec().name()).isEqualTo("serviceController"));
			HealthIndicator health = context.getBean("reconcilersHealthContributor", HealthIndicator.class);
			assertThat(health.health()).isNotNull()
				.satisfies((syncing) -> assertThat(syncing.getStatus()).isNotEqualTo(Status.UP));
		});
	}

	@Test
	void recordsEventsAlsoWithoutRing() {
		this.runner.withUserConfiguration(ServiceController.class)
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(EventRecorder.class));
		this.runner.withUserConfiguration(ServiceController.class, SecretController.class)
			.withPropertyValues("sharding.ring=ring", "sharding.shard-name=shard-1")
			.run((context) -> assertThat(context.getBean(EventRecorder.class))
				.isSameAs(context.getBean(Shard.class).events()));
	}

	/* That of a shard records while it holds its Lease, which a leader need not do. */
	@Test
	void recordsEventsOfALeaderBesideAShardToo() {
		this.runner.withUserConfiguration(ServiceController.class)
			.run((context) -> assertThat(context.getBean("noRingEventRecorder"))
				.isSameAs(context.getBean(EventRecorder.class)));
		this.runner.withUserConfiguration(ServiceController.class, SecretController.class, EventsOfLeader.class)
			.withPropertyValues("sharding.ring=ring", "sharding.shard-name=shard-1")
			.run((context) -> {
				EventsOfLeader user = context.getBean(EventsOfLeader.class);
				assertThat(user.ofShard).isSameAs(context.getBean(Shard.class).events());
				assertThat(user.ofLeader).isSameAs(context.getBean("noRingEventRecorder")).isNotSameAs(user.ofShard);
			});
	}

	static class EventsOfLeader {

		final EventRecorder ofShard;

		final EventRecorder ofLeader;

		EventsOfLeader(EventRecorder ofShard, @Qualifier("noRingEventRecorder") EventRecorder ofLeader) {
			this.ofShard = ofShard;
			this.ofLeader = ofLeader;
		}

	}

	@Test
	void recordsEventsBesideAFurtherRing() {
		this.runner.withUserConfiguration(ServiceController.class, FurtherRingsTests.ElsewhereController.class)
			.withPropertyValues("sharding.rings.elsewhere.shard-name=shard-1")
			.run((context) -> assertThat(context.getBean(EventRecorder.class))
				.isSameAs(context.getBean("eventRecorder"))
				.isNotSameAs(context.getBean("elsewhereEventRecorder")));
	}

	@Test
	void saysThatAStopMayTakeTooLong(CapturedOutput output) {
		ApplicationContextRunner impatient = this.runner.withUserConfiguration(ServiceController.class)
			.withPropertyValues("spring.lifecycle.timeout-per-shutdown-phase=20s");
		impatient.withPropertyValues("sharding.leader-election.enabled=false")
			.run((context) -> assertThat(output).doesNotContain("A stop may take longer"));
		impatient.run((context) -> assertThat(output).containsOnlyOnce("A stop may take longer"));
	}

	@Test
	void saysThatALeaseMayBeThatOfAnotherApplication(CapturedOutput output) {
		ApplicationContextRunner nameless = Apps.application()
			.withUserConfiguration(ServiceController.class)
			.withPropertyValues("sharding.lease.namespace=default");
		nameless.withPropertyValues("spring.application.name=app").run((context) -> assertNoWarning(output));
		nameless.withPropertyValues("sharding.leader-election.lease-name=mine")
			.run((context) -> assertNoWarning(output));
		nameless.withPropertyValues("sharding.leader-election.enabled=false").run((context) -> assertNoWarning(output));
		nameless.run((context) -> assertThat(output.toString().lines())
			.filteredOn((line) -> line.contains("WARN") && line.contains("'sharding-leader'"))
			.singleElement()
			.asString()
			.contains("'spring.application.name'", "'sharding.leader-election.lease-name'"));
	}

	private static void assertNoWarning(CapturedOutput output) {
		assertThat(output).doesNotContain("'sharding-leader'");
	}

	@Test
	void runsEverywhereIfToldTo() {
		this.runner.withUserConfiguration(ServiceController.class)
			.withPropertyValues("sharding.leader-election.enabled=false")
			.run((context) -> assertThat(context.getBean(LeaderElectedControllers.class).lease()).isNull());
	}

	@Test
	void livesBesideShardedControllers() {
		this.runner.withUserConfiguration(ServiceController.class, SecretController.class, CacheUser.class)
			.withPropertyValues("sharding.ring=ring", "sharding.shard-name=shard-1")
			.run((context) -> {
				assertThat(context.getBean(Shard.class).controllers())
					.extracting((controller) -> controller.spec().name())
					.containsExactly("secretController");
				assertThat(context.getBean(LeaderElectedControllers.class).controllers())
					.extracting((controller) -> controller.spec().name())
					.containsExactly("serviceController");
				ResourceCaches sharded = context.getBean(Shard.class).caches();
				ResourceCaches plain = context.getBean(LeaderElectedControllers.class).caches();
				CacheUser user = context.getBean(CacheUser.class);
				assertThat(user.caches).isSameAs(sharded);
				assertThat(user.secrets).isSameAs(sharded.of(Secret.class));
				assertThat(user.configMaps).isSameAs(sharded.of(ConfigMap.class));
				assertThat(user.allConfigMaps).isSameAs(plain.of(ConfigMap.class));
				assertThat(user.services).isSameAs(plain.of(Service.class));
			});
	}

	@Test
	void aCacheOfTheUserOutsideRingsLeavesThatOfTheShardAlone() {
		this.runner
			.withUserConfiguration(ServiceController.class, SecretController.class, OwnPlainCache.class,
					CacheUser.class)
			.withPropertyValues("sharding.ring=ring", "sharding.shard-name=shard-1")
			.run((context) -> {
				CacheUser user = context.getBean(CacheUser.class);
				assertThat(user.allConfigMaps).isSameAs(context.getBean("own"));
				assertThat(user.configMaps).isSameAs(context.getBean(Shard.class).caches().of(ConfigMap.class));
				assertThat(context.getBeanNamesForType(ResourceCache.class)).hasSize(4);
			});
	}

	@Test
	void noRingSharesItsMeters() {
		SimpleMeterRegistry meters = new SimpleMeterRegistry();
		this.runner.withUserConfiguration(ServiceController.class, SecretController.class)
			.withBean(MeterRegistry.class, () -> meters)
			.withPropertyValues("sharding.ring=none", "sharding.shard-name=shard-1")
			.run((context) -> {
				assertThat(meters.get("sharding.informer.objects").tag("ring", "none").gauges())
					.extracting((gauge) -> gauge.getId().getTag("resource"))
					.containsExactlyInAnyOrder("secrets.v1", "configmaps.v1");
				assertThat(meters.get("sharding.informer.objects").tag("ring", LeaderElectedPart.NAME).gauges())
					.hasSize(2);
			});
		Apps.shard()
			.withPropertyValues("sharding.ring=" + LeaderElectedPart.NAME)
			.run((context) -> assertThat(context).hasFailed());
	}

	@Test
	void aCacheThatIsFirstAskedForAtRunTimeHasItsMetersToo() {
		SimpleMeterRegistry meters = new SimpleMeterRegistry();
		this.runner.withUserConfiguration(ServiceController.class, SecretController.class)
			.withBean(MeterRegistry.class, () -> meters)
			.withPropertyValues("sharding.ring=ring", "sharding.shard-name=shard-1")
			.run((context) -> {
				context.getBean(Shard.class).caches().of(Node.class);
				context.getBean(LeaderElectedControllers.class).caches().of(Pod.class);
				Awaitility.await()
					.atMost(Duration.ofMinutes(1))
					.untilAsserted(() -> assertThat(meters.getMeters())
						.extracting((meter) -> "%s %s %s".formatted(meter.getId().getName(),
								meter.getId().getTag("ring"), meter.getId().getTag("resource")))
						.contains("sharding.informer.failing ring nodes.v1 (whole)",
								"sharding.overlay.oldest ring nodes.v1 (whole)",
								"sharding.informer.relists noRing pods.v1 (whole)",
								"sharding.overlay.entries noRing pods.v1 (whole)"));
			});
	}

	@Test
	void oneSwitchMakesALeaderWithoutRingOfAShard() {
		this.runner.withUserConfiguration(SecretController.class, FurtherRingsTests.ElsewhereController.class)
			.withPropertyValues("sharding.ring=ring", "sharding.enabled=false")
			.run((context) -> {
				assertThat(context).hasNotFailed().doesNotHaveBean(Shard.class);
				assertThat(context.getBean(EventRecorder.class)).isSameAs(context.getBean("eventRecorder"));
				LeaderElectedControllers controllers = context.getBean(LeaderElectedControllers.class);
				assertThat(controllers.lease()).isNotNull();
				assertThat(controllers.lease().config().path()).isEqualTo("default/app-leader");
				assertThat(controllers.phase()).isEqualTo(RuntimePhase.SYNCING);
				assertThat(controllers.controllers()).extracting((controller) -> controller.spec().name())
					.containsExactlyInAnyOrder("secretController", "elsewhereController");
				assertThat(context.getBean(ResourceCaches.class)).isSameAs(controllers.caches());
				assertThat(
						context.getBeanProvider(ResolvableType.forClassWithGenerics(ResourceCache.class, Secret.class))
							.getObject())
					.isSameAs(controllers.caches().of(Secret.class));
			});
	}

	@Test
	void beansThatAskForThoseOfARingStartWithoutRings() {
		this.runner
			.withUserConfiguration(SecretController.class, FurtherRingsTests.ElsewhereController.class, RingUser.class)
			.withPropertyValues("sharding.ring=ring", "sharding.rings.elsewhere.namespaces=team-a",
					"sharding.enabled=false")
			.run((context) -> {
				assertThat(context).hasNotFailed();
				ResourceCaches plain = context.getBean(LeaderElectedControllers.class).caches();
				RingUser user = context.getBean(RingUser.class);
				assertThat(List.of(user.caches, user.furtherCaches, context.getBean(ResourceCaches.class)))
					.allMatch((caches) -> caches == plain);
				assertThat(List.of(user.secrets, user.furtherSecrets, user.anySecrets))
					.allMatch((cache) -> cache == plain.of(Secret.class));
				EventRecorder recorder = context.getBean(EventRecorder.class);
				assertThat(List.of(user.events, user.furtherEvents)).allMatch((events) -> events == recorder);
			});
	}

	@Test
	void whatTheUserQualifiesWithARingIsUsedWithoutRings() {
		this.runner
			.withUserConfiguration(SecretController.class, FurtherRingsTests.ElsewhereController.class,
					OwnOfElsewhere.class, RingUser.class)
			.withPropertyValues("sharding.ring=ring", "sharding.rings.elsewhere.namespaces=team-a",
					"sharding.enabled=false")
			.run((context) -> {
				assertThat(context).hasNotFailed()
					.doesNotHaveBean("elsewhere.secretCache")
					.doesNotHaveBean("elsewhereResourceCaches")
					.doesNotHaveBean("elsewhereEventRecorder");
				RingUser user = context.getBean(RingUser.class);
				assertThat(user.furtherSecrets).isSameAs(context.getBean("ownCache"));
				assertThat(user.furtherCaches).isSameAs(context.getBean("ownCaches"));
				assertThat(user.furtherEvents).isSameAs(context.getBean("ownRecorder"));
				assertThat(user.caches).isSameAs(context.getBean(LeaderElectedControllers.class).caches());
			});
	}

	@Test
	void noLeaderIsElectedForNothing() {
		this.runner.withPropertyValues("sharding.enabled=false").run((context) -> {
			assertThat(context.getBean(LeaderElectedControllers.class).phase()).isEqualTo(RuntimePhase.STOPPED);
			assertThat(context.getBean("leaderElectedLifecycle", PartLifecycle.class).isRunning()).isFalse();
		});
	}

	@LeaderElectedController(value = "serviceController", owns = ConfigMap.class)
	public static class ServiceController implements Reconciler<Service> {

		@Override
		public Result reconcile(Service object) {
			return Result.done();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnPlainCache {

		@Bean
		@Qualifier(ReconcileContext.NO_RING)
		ResourceCache<ConfigMap> own(LeaderElectedControllers controllers) {
			return controllers.caches().of(ConfigMap.class);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnOfElsewhere {

		private final LeaderElectedControllers own = LeaderElectedControllers
			.everywhere(new Apps.UnreachableCluster().unreachable(), RuntimeOptions.DEFAULTS);

		@Bean
		@Qualifier("elsewhere")
		ResourceCache<Secret> ownCache() {
			return this.own.caches().of(Secret.class);
		}

		@Bean
		@Qualifier("elsewhere")
		ResourceCaches ownCaches() {
			return this.own.caches();
		}

		@Bean
		@Qualifier("elsewhere")
		EventRecorder ownRecorder() {
			return this.own.events("example.com/own", "own");
		}

	}

	static class RingUser {

		private final ResourceCache<Secret> anySecrets;

		private final ResourceCache<Secret> secrets;

		private final ResourceCache<Secret> furtherSecrets;

		private final ResourceCaches caches;

		private final ResourceCaches furtherCaches;

		private final EventRecorder events;

		private final EventRecorder furtherEvents;

		RingUser(ResourceCache<Secret> anySecrets, @Qualifier("ring") ResourceCache<Secret> secrets,
				@Qualifier("elsewhere") ResourceCache<Secret> furtherSecrets, @Qualifier("ring") ResourceCaches caches,
				@Qualifier("elsewhere") ResourceCaches furtherCaches, @Qualifier("ring") EventRecorder events,
				@Qualifier("elsewhere") EventRecorder furtherEvents) {
			this.anySecrets = anySecrets;
			this.secrets = secrets;
			this.furtherSecrets = furtherSecrets;
			this.caches = caches;
			this.furtherCaches = furtherCaches;
			this.events = events;
			this.furtherEvents = furtherEvents;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class CacheUser {

		private final ResourceCaches caches;

		private final ResourceCache<Secret> secrets;

		private final ResourceCache<ConfigMap> configMaps;

		private final ResourceCache<ConfigMap> allConfigMaps;

		private final ResourceCache<Service> services;

		CacheUser(ResourceCaches caches, ResourceCache<Secret> secrets, ResourceCache<ConfigMap> configMaps,
				@Qualifier(ReconcileContext.NO_RING) ResourceCache<ConfigMap> allConfigMaps,
				ResourceCache<Service> services) {
			this.caches = caches;
			this.secrets = secrets;
			this.configMaps = configMaps;
			this.allConfigMaps = allConfigMaps;
			this.services = services;
		}

	}

}
