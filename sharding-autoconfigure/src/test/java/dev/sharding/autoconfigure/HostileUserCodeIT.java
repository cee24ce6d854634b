package dev.sharding.autoconfigure;

import java.time.Duration;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.event.EventListener;

import dev.sharding.cache.ResourceCaches;
import dev.sharding.controller.Backoff;
import dev.sharding.controller.ControllerCustomizer;
import dev.sharding.controller.ControllerSpec;
import dev.sharding.controller.EventRecorder;
import dev.sharding.controller.Reconciler;
import dev.sharding.controller.Result;
import dev.sharding.controller.ShardedController;
import dev.sharding.event.LeaseAcquiredEvent;
import dev.sharding.event.ShardingEvent;
import dev.sharding.internal.kubernetes.lease.LeaseListener;
import dev.sharding.internal.kubernetes.lease.LeaseTerm;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;
import dev.sharding.shard.RuntimePhase;
import dev.sharding.shard.Shard;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * All code of the user that a shard runs throws, returns nonsense, or never returns and
 * heeds no interrupt, and all of it at once. The world must not show it: the controller
 * beside goes on, the Lease is renewed and comes back when it was lost, drains are
 * acknowledged, and the stop ends in time. There is no sharder: the test assigns.
 */
@ControlPlaneTest
@ExtendWith(OutputCaptureExtension.class)
class HostileUserCodeIT {

	private static final String RING = "hostile";

	private static final String SHARD = RING + "-1";

	private static final Duration STOP_TIMEOUT = Duration.ofSeconds(3);

	private final World world;

	private final Never never = new Never();

	private final Good good = new Good();

	HostileUserCodeIT(ControlPlane controlPlane, KubernetesClient client, @TestNamespace String namespace) {
		this.world = World.withRings(controlPlane, client, namespace);
	}

	@Test
	void hostileCodeHoldsUpNothingButItsOwnController(CapturedOutput output) {
		ring();
		AtomicLong closing = new AtomicLong();
		try {
			this.world.shard(RING, this.world.client())
				.withBean(Never.class, () -> this.never)
				.withBean("goodController", Good.class, () -> this.good)
				.withUserConfiguration(Reconciles.class, Filters.class, Maps.class, Listeners.class, Indexes.class)
				.withBean(MeterRegistry.class, HostileMeters::new)
				.withBean(ObservationRegistry.class, HostileUserCodeIT::hostileObservations)
				.withPropertyValues("sharding.reconcile.stop-timeout=" + STOP_TIMEOUT.toSeconds() + "s",
						"sharding.reconcile.concurrency=2")
				.run((context) -> {
					assertThat(context).hasNotFailed();
					Shard shard = context.getBean(Shard.class);
					this.good.events = context.getBean(EventRecorder.class);
					World.soon().until(() -> shard.phase() == RuntimePhase.RUNNING);
					beHostile();
					World.soon().untilAsserted(() -> assertThat(this.never.stuck).containsAll(Never.ALL));
					goesOn("during");
					renews();
					drains();
					tells(context, output);
					this.world.client().leases().inNamespace(this.world.namespace()).withName(SHARD).delete();
					World.soon()
						.until(() -> shard.lease().status().term() != null
								&& shard.lease().status().term().number() > 1);
					goesOn("after-the-loss");
					renews();
					closing.set(System.nanoTime());
				});
			// One second for what heeds an interrupt, and some for the threads of two
			// CPUs.
			assertThat(Duration.ofNanos(System.nanoTime() - closing.get()))
				.isLessThan(STOP_TIMEOUT.plusSeconds(1).plusSeconds(10));
			assertThat(this.world.holder(SHARD)).as("left to run out, as a reconcile still runs").isEqualTo(SHARD);
		}
		finally {
			this.never.over = true;
		}
	}

	private void beHostile() {
		for (String name : List.of("throws", "null", "idle", "select-never", "never", "gone")) {
			this.world.secret(name, ours());
		}
		World.soon().until(() -> this.never.seen.contains("gone"));
		this.world.client().secrets().inNamespace(this.world.namespace()).withName("gone").delete();
		for (String name : List.of("throws", "null", "nulls", "never")) {
			this.world.client()
				.resource(new ConfigMapBuilder().withNewMetadata()
					.withNamespace(this.world.namespace())
					.withName(name)
					.endMetadata()
					.build())
				.create();
		}
		this.world.client()
			.resource(new ServiceAccountBuilder().withNewMetadata()
				.withNamespace(this.world.namespace())
				.withName("never")
				.endMetadata()
				.build())
			.create();
	}

	private void goesOn(String name) {
		service(name, ours());
		World.soon().untilAsserted(() -> assertThat(this.never.seen).contains("service " + name));
	}

	private void renews() {
		ZonedDateTime before = renewed();
		World.soon().until(() -> renewed().isAfter(before.plusSeconds(3)));
	}

	private ZonedDateTime renewed() {
		return this.world.client()
			.leases()
			.inNamespace(this.world.namespace())
			.withName(SHARD)
			.get()
			.getSpec()
			.getRenewTime();
	}

	private void drains() {
		service("leaves", ours());
		World.soon().until(() -> this.never.seen.contains("service leaves"));
		this.world.client().services().inNamespace(this.world.namespace()).withName("leaves").edit((service) -> {
			service.getMetadata().getLabels().put(ShardingLabels.drain(RING), "true");
			return service;
		});
		this.world.client().secrets().inNamespace(this.world.namespace()).withName("idle").edit((secret) -> {
			secret.getMetadata().getLabels().put(ShardingLabels.drain(RING), "true");
			return secret;
		});
		World.soon()
			.untilAsserted(() -> assertThat(this.world.client()
				.services()
				.inNamespace(this.world.namespace())
				.withName("leaves")
				.get()
				.getMetadata()
				.getLabels()).isNullOrEmpty());
		World.soon()
			.untilAsserted(() -> assertThat(this.world.client()
				.secrets()
				.inNamespace(this.world.namespace())
				.withName("idle")
				.get()
				.getMetadata()
				.getLabels()).isNullOrEmpty());
	}

	/* Health, meters and log name bean and object of what does not return. */
	private void tells(ApplicationContext context, CapturedOutput output) {
		String here = this.world.namespace() + "/";
		Map<String, String> expected = Map.of("reconciles: reconcile", here + "never", "reconciles: deletion listener",
				here + "gone", "filters: select", here + "select-never", "maps: mapper of configmaps", here + "never",
				"serviceaccounts.v1: index hostile", here + "never");
		World.soon().untilAsserted(() -> {
			Health health = context.getBean("reconcilersHealthContributor", HealthIndicator.class).health();
			assertThat(health).isNotNull();
			assertThat(health.getDetails()).containsKey("stuck");
			List<String> stuck = new ArrayList<>();
			((Collection<?>) health.getDetails().get("stuck")).forEach((text) -> stuck.add(text.toString()));
			expected.forEach((call, object) -> assertThat(stuck)
				.anyMatch((text) -> text.startsWith(call + " of " + object + " for ")));
			for (String listener : List.of("move listener", "runtime listener", "lease listener",
					"application event listener")) {
				assertThat(stuck).anyMatch((text) -> text.contains(": " + listener + " of "));
			}
		});
		MeterRegistry meters = context.getBean(MeterRegistry.class);
		expected.forEach((call, object) -> {
			String[] names = call.split(": ");
			World.soon()
				.until(() -> meters.find("sharding.user.code.stuck")
					.tags("bean", names[0], "call", names[1])
					.timeGauge() != null);
			String line = "Code of the user does not return bean=%s call=\"%s\" object=%s seconds=".formatted(names[0],
					names[1], object);
			assertThat(output.getOut().split(Pattern.quote(line), -1)).as(line).hasSize(2);
		});
	}

	private Map<String, String> ours() {
		return Map.of(ShardingLabels.shard(RING), SHARD);
	}

	private void service(String name, Map<String, String> labels) {
		this.world.client()
			.resource(new ServiceBuilder().withNewMetadata()
				.withNamespace(this.world.namespace())
				.withName(name)
				.withLabels(labels)
				.endMetadata()
				.withNewSpec()
				.withClusterIP("None")
				.endSpec()
				.build())
			.create();
	}

	private void ring() {
		this.world.client()
			.genericKubernetesResources(World.RINGS)
			.resource(new GenericKubernetesResourceBuilder().withApiVersion("sharding.timebertt.dev/v1alpha1")
				.withKind("ControllerRing")
				.withNewMetadata()
				.withName(RING)
				.endMetadata()
				.addToAdditionalProperties("spec",
						Map.of("resources",
								List.of(Map.of("group", "", "resource", "secrets"),
										Map.of("group", "", "resource", "services"))))
				.build())
			.create();
	}

	private static ObservationRegistry hostileObservations() {
		ObservationRegistry registry = ObservationRegistry.create();
		registry.observationConfig().observationHandler(new ObservationHandler<Observation.Context>() {

			@Override
			public void onStart(Observation.Context context) {
				throw new IllegalStateException("planned");
			}

			@Override
			public boolean supportsContext(Observation.Context context) {
				return true;
			}

		});
		return registry;
	}

	/**
	 * Does not return, whoever interrupts it, before the test is over.
	 */
	static final class Never {

		static final List<String> ALL = List.of("reconcile", "deletion listener", "select", "mapper", "index",
				"runtime listener", "move listener", "lease listener", "event listener");

		private final Set<String> stuck = ConcurrentHashMap.newKeySet();

		private final Set<String> seen = ConcurrentHashMap.newKeySet();

		private volatile boolean over;

		void returns(String who) {
			this.stuck.add(who);
			while (!this.over) {
				Thread.interrupted();
				LockSupport.parkNanos(1_000_000);
			}
		}

	}

	@ShardedController("goodController")
	final class Good implements Reconciler<Service> {

		private volatile EventRecorder events;

		@Override
		public Result reconcile(Service service) {
			this.events.normal(service, null, null, null);
			this.events.warning((Service) null, "Reason", "Action", "note");
			HostileUserCodeIT.this.never.seen.add("service " + service.getMetadata().getName());
			return Result.done();
		}

	}

	@ShardedController("reconciles")
	static class Reconciles implements Reconciler<Secret>, ControllerCustomizer<Secret> {

		private final Never never;

		Reconciles(Never never) {
			this.never = never;
		}

		@Override
		public void customize(ControllerSpec.Builder<Secret> controller) {
			Duration eternity = Duration.ofSeconds(Long.MAX_VALUE);
			controller.backoff(new Backoff(eternity, eternity, 1))
				.resync(eternity)
				.onDeletion((last) -> this.never.returns("deletion listener"));
		}

		@Override
		public Result reconcile(Secret secret) {
			this.never.seen.add(secret.getMetadata().getName());
			return switch (secret.getMetadata().getName()) {
				case "never" -> {
					this.never.returns("reconcile");
					yield Result.done();
				}
				case "throws" -> throw new StackOverflowError("planned");
				case "null" -> null;
				default -> Result.done();
			};
		}

	}

	@ShardedController("filters")
	static class Filters implements Reconciler<Secret>, ControllerCustomizer<Secret> {

		private final Never never;

		Filters(Never never) {
			this.never = never;
		}

		@Override
		public void customize(ControllerSpec.Builder<Secret> controller) {
			controller.filter((before, after) -> {
				throw new NoClassDefFoundError("planned");
			}).select((secret) -> {
				if (secret.getMetadata().getName().equals("select-never")) {
					this.never.returns("select");
				}
				throw new NoClassDefFoundError("planned");
			});
		}

		@Override
		public Result reconcile(Secret secret) {
			return Result.done();
		}

	}

	@ShardedController("maps")
	static class Maps implements Reconciler<Secret>, ControllerCustomizer<Secret> {

		private final Never never;

		Maps(Never never) {
			this.never = never;
		}

		@Override
		public void customize(ControllerSpec.Builder<Secret> controller) {
			controller.watches(ResourceType.of(ConfigMap.class), (map) -> switch (map.getMetadata().getName()) {
				case "never" -> {
					this.never.returns("mapper");
					yield List.of();
				}
				case "null" -> null;
				case "nulls" -> Arrays.asList(null, new ObjectKey("", "nobody"), null);
				default -> throw new NoClassDefFoundError("planned");
			});
		}

		@Override
		public Result reconcile(Secret secret) {
			return Result.done();
		}

	}

	static class Listeners {

		private final Never never;

		Listeners(Never never, Shard shard) {
			this.never = never;
			shard.addListener((phase, reason) -> {
				throw new NoClassDefFoundError("planned");
			});
			shard.addListener((phase, reason) -> never.returns("runtime listener"));
			shard.moves().addListener((move) -> {
				throw new NoClassDefFoundError("planned");
			});
			shard.moves().addListener((move) -> never.returns("move listener"));
			shard.lease().addListener(new LeaseListener() {

				@Override
				public void acquired(LeaseTerm term) {
					never.returns("lease listener");
				}

			});
		}

		@EventListener
		void on(ShardingEvent event) {
			if (event instanceof LeaseAcquiredEvent) {
				this.never.returns("event listener");
			}
			throw new NoClassDefFoundError("planned");
		}

	}

	static class Indexes {

		Indexes(Never never, ResourceCaches caches) {
			caches.index(ResourceType.of(Secret.class), "hostile", (secret) -> {
				if (secret.getMetadata().getName().equals("null")) {
					return null;
				}
				throw new NoClassDefFoundError("planned");
			});
			ResourceType<ServiceAccount> accounts = ResourceType.of(ServiceAccount.class);
			caches.index(accounts, "hostile", (account) -> {
				if (account.getMetadata().getName().equals("never")) {
					never.returns("index");
				}
				return List.of();
			});
			caches.of(accounts);
		}

	}

	/**
	 * Counters of controllers and of the Lease throw.
	 */
	static final class HostileMeters extends SimpleMeterRegistry {

		@Override
		protected Counter newCounter(Meter.Id id) {
			Counter counter = super.newCounter(id);
			if (!id.getName().startsWith("workqueue.") && !id.getName().startsWith("controller.runtime.")
					&& !id.getName().startsWith("sharding.lease.")) {
				return counter;
			}
			return new Counter() {

				@Override
				public void increment(double amount) {
					throw new IllegalStateException("planned");
				}

				@Override
				public double count() {
					return 0;
				}

				@Override
				public Meter.Id getId() {
					return id;
				}

			};
		}

	}

}
