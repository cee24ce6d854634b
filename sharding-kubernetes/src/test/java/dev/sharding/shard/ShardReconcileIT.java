package dev.sharding.shard;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.events.v1.Event;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

import dev.sharding.cache.ResourceCache;
import dev.sharding.controller.Cleaner;
import dev.sharding.controller.ControllerSpec;
import dev.sharding.controller.Reconciler;
import dev.sharding.controller.Result;
import dev.sharding.internal.kubernetes.reconcile.Controller;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.resource.ObjectKey;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;

import static org.assertj.core.api.Assertions.assertThat;

@ControlPlaneTest
class ShardReconcileIT {

	private final ShardWorld world;

	private final List<String> reconciled = new CopyOnWriteArrayList<>();

	ShardReconcileIT(KubernetesClient client, @TestNamespace String namespace) {
		this.world = new ShardWorld(client, namespace).patient();
	}

	@AfterEach
	void close() throws Exception {
		this.world.close();
	}

	@Test
	void reconcilesAgainWhenAskedToAndAfterFailures() {
		AtomicInteger runs = new AtomicInteger();
		this.world.running("s1", (secret) -> switch (runs.incrementAndGet()) {
			case 1 -> Result.requeueAfter(Duration.ofMillis(10));
			case 2 -> Result.requeue();
			case 3, 4, 5 -> throw new IllegalStateException("planned");
			default -> Result.done();
		});
		this.world.secretOf("s1", "a");
		ShardWorld.soon().until(() -> runs.get() == 6);
		ShardWorld.forAWhile().until(() -> runs.get() == 6);
	}

	@Test
	void whatAReconcilerDoesToItsArgumentStaysWithIt() {
		AtomicReference<Shard> shard = new AtomicReference<>();
		AtomicInteger runs = new AtomicInteger();
		AtomicReference<Throwable> seen = new AtomicReference<>();
		shard.set(this.world.running("s1", (secret) -> {
			if (secret.getData() == null || secret.getMetadata().getLabels().containsKey("spoilt")) {
				seen.set(new AssertionError("spoilt"));
			}
			secret.getMetadata().getLabels().put("spoilt", "true");
			secret.getMetadata().getLabels().remove(ShardingLabels.shard(this.world.ring));
			secret.setData(null);
			return (runs.incrementAndGet() < 3) ? Result.requeue() : Result.done();
		}));
		this.world.secretOf("s1", "a");
		ShardWorld.soon().until(() -> runs.get() == 3);
		assertThat(seen).hasValue(null);
		Secret cached = shard.get().caches().of(Secret.class).get(this.world.namespace, "a").orElseThrow();
		assertThat(cached.getData()).containsKey("key");
		assertThat(cached.getMetadata().getLabels()).doesNotContainKey("spoilt");
	}

	@Test
	void aControlledObjectIsStampedAndRebuiltWhenItVanishesOrIsEdited() {
		Shard shard = this.world.shard("s1");
		ResourceCache<ConfigMap> configMaps = shard.caches().of(ConfigMap.class);
		shard.add(ControllerSpec.of(ShardWorld.SECRETS, (Secret secret) -> mirror(configMaps, secret))
			.owns(ShardWorld.CONFIG_MAPS)
			.build());
		shard.start();
		this.world.awaitPhase(shard, RuntimePhase.RUNNING);
		this.world.secretOf("s1", "a");
		ShardWorld.soon().until(() -> mirrored("a") != null);
		ConfigMap first = mirrored("a");
		assertThat(first.getMetadata().getLabels()).containsEntry(ShardingLabels.shard(this.world.ring),
				this.world.shardName("s1"));
		this.world.client.resource(first).delete();
		ShardWorld.soon().until(() -> {
			ConfigMap again = mirrored("a");
			return again != null && !again.getMetadata().getUid().equals(first.getMetadata().getUid());
		});
		this.world.client.configMaps()
			.inNamespace(this.world.namespace)
			.withName("a")
			.edit((map) -> new ConfigMapBuilder(map).withData(Map.of("of", "vandal")).build());
		ShardWorld.soon().until(() -> "a".equals(mirrored("a").getData().get("of")));
		assertThat(mirrored("a").getMetadata().getLabels()).containsEntry(ShardingLabels.shard(this.world.ring),
				this.world.shardName("s1"));
	}

	@Test
	void cleansUpByFinalizer() {
		Set<String> cleaned = ConcurrentHashMap.newKeySet();
		AtomicInteger tries = new AtomicInteger();
		class WithCleanUp implements Reconciler<Secret>, Cleaner<Secret> {

			@Override
			public Result reconcile(Secret secret) {
				assertThat(secret.getMetadata().getFinalizers()).contains("example.com/test");
				return note(secret);
			}

			@Override
			public String finalizer() {
				return "example.com/test";
			}

			@Override
			public Result cleanUp(Secret secret) {
				if (tries.incrementAndGet() == 1) {
					return Result.requeueAfter(Duration.ofMillis(10));
				}
				cleaned.add(secret.getMetadata().getName());
				return Result.done();
			}

		}
		this.world.running("s1", new WithCleanUp());
		this.world.secret("a", this.world.assigned("s1"),
				(metadata) -> metadata.setFinalizers(List.of("example.com/foreign")));
		ShardWorld.soon().until(() -> this.reconciled.contains("a"));
		this.world.client.secrets().inNamespace(this.world.namespace).withName("a").delete();
		ShardWorld.soon().until(() -> cleaned.contains("a"));
		ShardWorld.soon()
			.untilAsserted(() -> assertThat(this.world.client.secrets()
				.inNamespace(this.world.namespace)
				.withName("a")
				.get()
				.getMetadata()
				.getFinalizers()).containsExactly("example.com/foreign"));
		assertThat(tries).hasValue(2);
		this.world.merge("a", "{\"metadata\":{\"finalizers\":null}}");
		ShardWorld.soon()
			.until(() -> this.world.client.secrets().inNamespace(this.world.namespace).withName("a").get() == null);
	}

	@Test
	void anObjectThatMovesAwayIsNotDeleted() {
		List<String> deleted = new CopyOnWriteArrayList<>();
		this.world.running("s1", this::note,
				(spec) -> spec.onDeletion((last) -> deleted.add(last.getMetadata().getName())));
		this.world.secretOf("s1", "moves");
		this.world.secretOf("s1", "goes");
		this.world.secretOf("s1", "drains");
		ShardWorld.soon().until(() -> this.reconciled.containsAll(List.of("moves", "goes", "drains")));
		this.reconciled.clear();
		this.world.assign("moves", "s2");
		this.world.drain("drains");
		this.world.client.secrets().inNamespace(this.world.namespace).withName("goes").delete();
		ShardWorld.soon().until(() -> deleted.contains("goes"));
		ShardWorld.forAWhile().until(() -> deleted.size() == 1 && this.reconciled.isEmpty());
	}

	@Test
	void otherResourcesAndCallersFromOutsideAskForReconciles() {
		AtomicReference<Controller<Secret>> controller = new AtomicReference<>();
		Shard shard = this.world.shard("s1");
		controller.set(shard.add(ControllerSpec.of(ShardWorld.SECRETS, this::note)
			.watches(ShardWorld.CONFIG_MAPS,
					(map) -> List.of(new ObjectKey(this.world.namespace, map.getMetadata().getName())))
			.build()));
		shard.start();
		this.world.awaitPhase(shard, RuntimePhase.RUNNING);
		this.world.secretOf("s1", "a");
		ShardWorld.soon().until(() -> this.reconciled.contains("a"));
		this.reconciled.clear();
		this.world.client
			.resource(new ConfigMapBuilder().withNewMetadata()
				.withNamespace(this.world.namespace)
				.withName("a")
				.endMetadata()
				.build())
			.create();
		ShardWorld.soon().until(() -> this.reconciled.contains("a"));
		this.reconciled.clear();
		controller.get().enqueue(new ObjectKey(this.world.namespace, "a"));
		controller.get().enqueue(new ObjectKey(this.world.namespace, "absent"));
		ShardWorld.soon().until(() -> this.reconciled.contains("a"));
		assertThat(this.reconciled).doesNotContain("absent");
	}

	@Test
	void theLogContextNamesRingShardControllerKeyAndReconcile() {
		AtomicReference<Map<String, String>> context = new AtomicReference<>();
		this.world.running("s1", (secret) -> {
			context.set(MDC.getCopyOfContextMap());
			return Result.done();
		});
		this.world.secretOf("s1", "a");
		ShardWorld.soon().until(() -> context.get() != null);
		assertThat(context.get()).containsEntry("ring", this.world.ring)
			.containsEntry("shard", this.world.shardName("s1"))
			.containsEntry("controller", "secret")
			.containsEntry("key", this.world.namespace + "/a")
			.containsKey("reconcileId");
	}

	@Test
	void everythingIsReconciledAgainNowAndThen() {
		AtomicInteger runs = new AtomicInteger();
		this.world.running("s1", (secret) -> {
			runs.incrementAndGet();
			return Result.done();
		}, (spec) -> spec.resync(Duration.ofMillis(300)));
		this.world.secretOf("s1", "a");
		ShardWorld.soon().until(() -> runs.get() >= 4);
	}

	@Test
	void eventsAreRecordedOnTheObjectAndCounted() {
		AtomicInteger said = new AtomicInteger();
		AtomicReference<Shard> shard = new AtomicReference<>();
		shard.set(this.world.shard("s1"));
		shard.get().add(ControllerSpec.of(ShardWorld.SECRETS, (Secret secret) -> {
			// The second one once the first is stored: nothing keeps two requests in
			// order.
			if (said.get() == 0 || !events(secret).isEmpty()) {
				shard.get().events().normal(secret, "Checked", "Reconcile", "All is well");
				said.incrementAndGet();
			}
			return (said.get() < 2) ? Result.requeueAfter(Duration.ofMillis(500)) : Result.done();
		}).build());
		shard.get().start();
		this.world.awaitPhase(shard.get(), RuntimePhase.RUNNING);
		Secret secret = this.world.secretOf("s1", "a");
		ShardWorld.soon().untilAsserted(() -> {
			assertThat(events(secret)).singleElement().satisfies((event) -> {
				assertThat(event.getReason()).isEqualTo("Checked");
				assertThat(event.getNote()).isEqualTo("All is well");
				assertThat(event.getReportingController()).isEqualTo("sharding.timebertt.dev/" + this.world.ring);
				assertThat(event.getReportingInstance()).isEqualTo(this.world.shardName("s1"));
				assertThat(event.getSeries()).isNotNull();
				assertThat(event.getSeries().getCount()).isEqualTo(2);
			});
		});
	}

	private List<Event> events(Secret secret) {
		return this.world.client.events()
			.v1()
			.events()
			.inNamespace(this.world.namespace)
			.list()
			.getItems()
			.stream()
			.filter((event) -> secret.getMetadata().getUid().equals(event.getRegarding().getUid()))
			.toList();
	}

	private Result mirror(ResourceCache<ConfigMap> configMaps, Secret secret) {
		Map<String, String> data = Map.of("of", secret.getMetadata().getName());
		ConfigMap existing = configMaps.get(this.world.namespace, secret.getMetadata().getName()).orElse(null);
		if (existing == null) {
			configMaps.create(new ConfigMapBuilder().withNewMetadata()
				.withNamespace(this.world.namespace)
				.withName(secret.getMetadata().getName())
				.addNewOwnerReference()
				.withApiVersion("v1")
				.withKind("Secret")
				.withName(secret.getMetadata().getName())
				.withUid(secret.getMetadata().getUid())
				.withController(true)
				.endOwnerReference()
				.endMetadata()
				.withData(data)
				.build());
		}
		else if (!data.equals(existing.getData())) {
			existing.setData(data);
			existing.getMetadata().setLabels(null);
			configMaps.update(existing);
		}
		return Result.done();
	}

	private ConfigMap mirrored(String name) {
		return this.world.client.configMaps().inNamespace(this.world.namespace).withName(name).get();
	}

	private Result note(Secret secret) {
		this.reconciled.add(secret.getMetadata().getName());
		return Result.done();
	}

}
