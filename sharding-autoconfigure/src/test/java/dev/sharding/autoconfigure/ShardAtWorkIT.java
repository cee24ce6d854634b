package dev.sharding.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.context.event.EventListener;

import dev.sharding.controller.Reconciler;
import dev.sharding.controller.Result;
import dev.sharding.controller.ShardedController;
import dev.sharding.event.LeaseAcquiredEvent;
import dev.sharding.event.LeaseLostEvent;
import dev.sharding.event.ObjectDrainedEvent;
import dev.sharding.event.ObjectTakenOverEvent;
import dev.sharding.event.ShardingEvent;
import dev.sharding.internal.core.assignment.HashRing;
import dev.sharding.internal.core.key.ShardingKey;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.qos.QosShard;
import dev.sharding.shard.RuntimePhase;
import dev.sharding.shard.Shard;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What can be seen of a shard, and how it stops, without a sharder: the test assigns the
 * objects. The shard of the first test has the roles that are printed for its ring.
 */
@ControlPlaneTest
class ShardAtWorkIT {

	private static final int QUEUED = 1_000;

	private final World world;

	ShardAtWorkIT(ControlPlane controlPlane, KubernetesClient client, @TestNamespace String namespace) {
		this.world = World.withRings(controlPlane, client, namespace);
	}

	@Test
	@SuppressWarnings("unchecked")
	void showsWhatComesAndGoes() {
		this.world.ring("work", "secrets", "configmaps");
		this.world.runner("work", this.world.shardUser("work"))
			.withUserConfiguration(Events.class)
			.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
			.withPropertyValues("management.endpoints.web.exposure.include=sharding",
					"management.endpoints.jmx.exposure.include=sharding")
			.run((context) -> {
				World.soon().until(() -> context.getBean(Shard.class).phase() == RuntimePhase.RUNNING);
				assertThat(context.getBean(QosShard.class).term().get())
					.isEqualTo(context.getBean(Shard.class).lease().term().orElseThrow().acquired());
				ShardingEndpoint endpoint = context.getBean(ShardingEndpoint.class);
				this.world.secret("a", Map.of(ShardingLabels.shard("work"), "work-1"));
				Events events = context.getBean(Events.class);
				World.soon()
					.untilAsserted(() -> assertThat(events.seen).anyMatch(ObjectTakenOverEvent.class::isInstance));
				assertThat(endpoint.objects("secrets", null, null, null)).containsKey("shardOfHashUnknown");
				this.world.availableShards("work", 2);
				assertThat(endpoint.objects("secrets", null, null, null)).extractingByKey("shardOfHashUnknown")
					.asString()
					.contains("2 available shards, of which 1");
				this.world.availableShards("work", 1);
				Map<String, Object> page = endpoint.objects("secrets", null, null, null);
				assertThat(page).containsEntry("total", 1).containsEntry("shard", "work-1");
				ShardingKey key = new ShardingKey("", "Secret", this.world.namespace(), "a");
				assertThat((List<Map<String, Object>>) page.get("objects")).singleElement()
					.satisfies((object) -> assertThat(object).containsEntry("key", key.toString())
						.containsEntry("hash", "%016x".formatted(HashRing.hash(key)))
						.containsEntry("shardOfHash", "work-1")
						.containsEntry("draining", false));
				assertThat(endpoint.objects("secrets", "work", 1, 10)).containsEntry("objects", List.of());
				Map<String, Object> ring = ring(endpoint);
				assertThat(ring).containsEntry("phase", RuntimePhase.RUNNING)
					.containsEntry("share", Map.of("secrets", 1, "configmaps", 1))
					.containsEntry("drainsInProgress", 0);
				assertThat((Map<String, Map<String, Object>>) ring.get("members")).containsOnlyKeys("work-1");
				assertThat(((Map<String, Map<String, Object>>) ring.get("members")).get("work-1"))
					.containsEntry("state", "ready");
				assertThat(ring).doesNotContainKey("membersError");
				assertThat(ring.get("ringCheck")).asString().doesNotContain("403");
				this.world.client().secrets().inNamespace(this.world.namespace()).withName("a").edit((secret) -> {
					secret.getMetadata().getLabels().put(ShardingLabels.drain("work"), "true");
					return secret;
				});
				World.soon()
					.untilAsserted(() -> assertThat(events.seen).anyMatch(ObjectDrainedEvent.class::isInstance));
				assertThat((List<Map<String, Object>>) ring(endpoint).get("lastMoves"))
					.extracting((move) -> move.get("kind"))
					.containsExactly("drained", "takenOver");
				assertThat(events.seen).anyMatch(LeaseAcquiredEvent.class::isInstance)
					.noneMatch(LeaseLostEvent.class::isInstance);
				MeterRegistry meters = context.getBean(MeterRegistry.class);
				for (String kind : List.of("drained", "taken_over")) {
					World.soon().until(() -> meters.find("sharding.moves").tag("kind", kind).timer() != null);
					World.soon().until(() -> meters.get("sharding.moves").tag("kind", kind).timer().count() == 1);
				}
				assertThat(meters.get("sharding.shard.running").gauge().value()).isOne();
			});
	}

	@Test
	void reconcilesWhatTheEndpointIsAskedFor() {
		this.world.ring("asked", "secrets", null);
		this.world.secret("asked", Map.of(ShardingLabels.shard("asked"), "asked-1"));
		this.world.shard("asked", this.world.client())
			.withUserConfiguration(CountingController.class)
			.withPropertyValues("management.endpoints.web.exposure.include=sharding",
					"management.endpoints.jmx.exposure.include=sharding")
			.run((context) -> {
				AtomicInteger count = context.getBean(CountingController.class).count;
				World.soon().until(() -> count.get() == 1);
				ShardingEndpoint endpoint = context.getBean(ShardingEndpoint.class);
				assertThat(endpoint.reconcile("secrets", null, this.world.namespace(), "asked"))
					.containsEntry("controllers", List.of("countingController"));
				World.soon().until(() -> count.get() == 2);
				endpoint.reconcile("secrets", "asked", null, null);
				World.soon().until(() -> count.get() == 3);
				assertThatExceptionOfType(InvalidEndpointRequestException.class)
					.isThrownBy(() -> endpoint.reconcile("pods", null, null, null));
			});
	}

	@Test
	void stopsWithAFullQueueInTimeAndInterruptsNoReconcile() {
		this.world.ring("stop", "secrets", null);
		IntStream.range(0, QUEUED)
			.parallel()
			.forEach((i) -> this.world.secret("queued-" + i, Map.of(ShardingLabels.shard("stop"), "stop-1")));
		AtomicReference<SlowController> slow = new AtomicReference<>();
		AtomicLong closing = new AtomicLong();
		this.world.shard("stop", this.world.client())
			.withUserConfiguration(SlowController.class)
			.withPropertyValues("sharding.reconcile.concurrency=4")
			.run((context) -> {
				slow.set(context.getBean(SlowController.class));
				World.soon()
					.until(() -> slow.get().begun.get() >= 4
							&& context.getBean(Shard.class).controllers().get(0).queued() > QUEUED * 9 / 10);
				closing.set(System.nanoTime());
			});
		// What Spring grants to a phase; the Lease is given back only if all have ended.
		assertThat(Duration.ofNanos(System.nanoTime() - closing.get())).isLessThan(Duration.ofSeconds(30));
		assertThat(slow.get().interrupted).hasValue(0);
		assertThat(slow.get().ended.get()).isEqualTo(slow.get().begun.get()).isLessThan(QUEUED / 10);
		assertThat(this.world.holder("stop-1")).isEmpty();
	}

	@SuppressWarnings("unchecked")
	private static Map<String, Object> ring(ShardingEndpoint endpoint) {
		return ((Map<String, Map<String, Object>>) endpoint.overview().get("rings")).get("work");
	}

	static class Events {

		private final List<ShardingEvent> seen = new CopyOnWriteArrayList<>();

		@EventListener
		void on(ShardingEvent event) {
			this.seen.add(event);
		}

	}

	@ShardedController("countingController")
	static class CountingController implements Reconciler<Secret> {

		private final AtomicInteger count = new AtomicInteger();

		@Override
		public Result reconcile(Secret secret) {
			this.count.incrementAndGet();
			return Result.done();
		}

	}

	@ShardedController
	static class SlowController implements Reconciler<Secret> {

		private final CountDownLatch never = new CountDownLatch(1);

		private final AtomicInteger begun = new AtomicInteger();

		private final AtomicInteger ended = new AtomicInteger();

		private final AtomicInteger interrupted = new AtomicInteger();

		@Override
		public Result reconcile(Secret secret) throws Exception {
			this.begun.incrementAndGet();
			try {
				this.never.await(1, TimeUnit.SECONDS);
			}
			catch (InterruptedException ex) {
				this.interrupted.incrementAndGet();
				throw ex;
			}
			this.ended.incrementAndGet();
			return Result.done();
		}

	}

}
