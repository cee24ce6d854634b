package dev.sharding.internal.kubernetes.cache;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.sharding.cache.Freshness;
import dev.sharding.cache.ListOptions;
import dev.sharding.cache.ResourceCache;
import dev.sharding.client.ApiException;
import dev.sharding.internal.core.overlay.OverlayStatus;
import dev.sharding.internal.core.read.ResourceVersions;
import dev.sharding.internal.core.read.ResourceVersions.Order;
import dev.sharding.internal.kubernetes.handover.PatchingDrainHandler;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.resource.ObjectKey;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneExtension;
import dev.sharding.test.TestNamespace;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Own writes while the watch lags, is cut or expires.
 */
class OverlayWatchIT {

	@RegisterExtension
	static final ControlPlaneExtension controlPlane = ControlPlaneExtension.own((builder) -> {
	});

	private final OverlayWorld world;

	OverlayWatchIT(ControlPlane cluster, KubernetesClient client, @TestNamespace String namespace) {
		this.world = new OverlayWorld(cluster, client, namespace);
	}

	@AfterEach
	void close() throws Exception {
		this.world.close();
	}

	@Test
	void whatAnOwnerControlsIsKnownBeforeTheWatchTells() {
		InformerCaches caches = this.world.caches();
		ResourceCache<ConfigMap> cache = caches.of(ConfigMap.class);
		ConfigMap one = cache.create(this.world.configMap("one", "1"));
		ConfigMap two = cache.create(this.world.configMap("two", "1"));
		ConfigMap known = cache.create(controlled("known", one));
		OverlayWorld.soon().until(() -> cache.list(this.world.here().freshness(Freshness.ANY)).size() == 3);
		this.world.watches.pauseResponses();
		ConfigMap made = cache.create(controlled("made", one));
		assertThat(names(cache, one)).containsExactlyInAnyOrder("known", "made");
		cache.update(controlledBy(known, two));
		assertThat(names(cache, one)).containsExactly("made");
		assertThat(names(cache, two)).containsExactly("known");
		cache.delete(made);
		assertThat(names(cache, one)).isEmpty();
		this.world.watches.heal();
		this.world.comesToRest(caches);
		assertThat(names(cache, one)).isEmpty();
		assertThat(names(cache, two)).containsExactly("known");
	}

	private ConfigMap controlled(String name, ConfigMap owner) {
		return controlledBy(this.world.configMap(name, "1"), owner);
	}

	private static ConfigMap controlledBy(ConfigMap object, ConfigMap owner) {
		return new ConfigMapBuilder(object).editMetadata()
			.withOwnerReferences(new OwnerReferenceBuilder().withApiVersion("v1")
				.withKind("ConfigMap")
				.withName(owner.getMetadata().getName())
				.withUid(owner.getMetadata().getUid())
				.withController(true)
				.build())
			.endMetadata()
			.build();
	}

	private List<String> names(ResourceCache<ConfigMap> cache, ConfigMap owner) {
		return cache.list(this.world.here().controlledBy(owner))
			.stream()
			.map((map) -> map.getMetadata().getName())
			.toList();
	}

	@Test
	void readsAreRightAcrossAnExpiredWatch() throws Exception {
		InformerCaches caches = this.world.caches();
		ResourceCache<ConfigMap> cache = caches.of(ConfigMap.class);
		ConfigMap changed = cache.create(this.world.configMap("changed", "1"));
		ConfigMap gone = cache.create(this.world.configMap("gone", "1"));
		ConfigMap shared = cache.create(this.world.configMap("shared", "1"));
		OverlayWorld.soon().until(() -> cache.list(this.world.here().freshness(Freshness.ANY)).size() == 3);
		this.world.watches.refuse();
		this.world.writer().call(() -> {
			cache.create(this.world.configMap("made", "1"));
			cache.update(OverlayWorld.changed(changed, "2"));
			cache.delete(gone);
			cache.update(OverlayWorld.changed(shared, "own"));
			return true;
		});
		ConfigMap foreign = this.world.client.resource(OverlayWorld.changed(this.world.onServer("shared"), "foreign"))
			.update();
		this.world.cluster.forgetHistory();
		CompletableFuture<Void> inFlight = this.world.inFlight(
				() -> cache.create(this.world.configMap("in-flight", "1")),
				() -> this.world.onServer("in-flight") != null);
		assertSeen(cache, "made", "changed", "shared");
		this.world.watches.heal();
		OverlayWorld.soon().until(() -> caches.statuses().get("configmaps.v1 (whole)").relists() == 2);
		assertSeen(cache, "made", "changed", "shared", "in-flight");
		this.world.writes.heal();
		assertThat(inFlight).succeedsWithin(Duration.ofSeconds(60));
		assertSeen(cache, "made", "changed", "shared", "in-flight");
		OverlayWorld.soon().until(() -> this.world.reachedWriter.contains(foreign.getMetadata().getResourceVersion()));
		this.world.comesToRest(caches);
	}

	@Test
	void readsAreRightWhenTheWatchIsCutAndTheCachesAreMadeAnew() {
		InformerCaches caches = this.world.caches();
		ResourceCache<ConfigMap> cache = caches.of(ConfigMap.class);
		ConfigMap now = cache.create(this.world.configMap("a", "0"));
		for (int i = 1; i <= 20; i++) {
			now = cache.update(OverlayWorld.changed(now, Integer.toString(i)));
			this.world.watches.cut();
			assertThat(cache.byIndex("n", Integer.toString(i))).hasSize(1);
		}
		this.world.comesToRest(caches);
		caches.close();
		assertThat(this.world.caches().of(ConfigMap.class).get(this.world.namespace, "a").orElseThrow().getData())
			.containsEntry("n", "20");
	}

	@Test
	void noReaderGoesBackHoweverItReads() throws Exception {
		InformerCaches caches = this.world.caches();
		ResourceCache<ConfigMap> cache = caches.of(ConfigMap.class);
		ConfigMap shared = cache.create(this.world.configMap("shared", "0"));
		AtomicBoolean writing = new AtomicBoolean(true);
		List<CompletableFuture<Integer>> readers = new ArrayList<>();
		ExecutorService threads = Executors.newFixedThreadPool(3);
		for (int i = 0; i < 2; i++) {
			readers.add(CompletableFuture.supplyAsync(() -> readForward(cache, shared, writing), threads));
		}
		CompletableFuture<Void> foreign = CompletableFuture.runAsync(() -> {
			while (writing.get()) {
				this.world.client.configMaps()
					.inNamespace(this.world.namespace)
					.withName("shared")
					.patch(PatchContext.of(PatchType.JSON_MERGE),
							"{\"data\":{\"foreign\":\"%d\"}}".formatted(System.nanoTime()));
			}
		}, threads);
		for (int i = 1; i <= 300; i++) {
			ConfigMap now = cache.get(ObjectKey.of(shared), Freshness.READ_YOUR_WRITES).orElseThrow();
			ConfigMap wanted = OverlayWorld.changed(now, "same");
			wanted.getData().put("own", Integer.toString(i));
			try {
				cache.update(wanted);
			}
			catch (ApiException ex) {
				assertThat(ex.status()).isEqualTo(409);
			}
			if (i % 50 == 0) {
				this.world.watches.cut();
			}
		}
		writing.set(false);
		assertThat(foreign).succeedsWithin(Duration.ofSeconds(60));
		for (CompletableFuture<Integer> reader : readers) {
			assertThat(reader).succeedsWithin(Duration.ofSeconds(60), as(InstanceOfAssertFactories.INTEGER))
				.isPositive();
		}
		threads.shutdown();
		this.world.comesToRest(caches);
	}

	@Test
	void anAcknowledgedDrainIsOutOfSightAtOnceAndComesBackWhenItIsAssigned() {
		InformerCaches caches = this.world.unstarted(this.world.cluster.admin().through(this.world.watches).client(),
				this.world.writing, "r", "s1");
		caches.declareMain(OverlayWorld.CONFIG_MAPS);
		ResourceCache<ConfigMap> cache = caches.of(ConfigMap.class);
		caches.start();
		ConfigMap draining = this.world.configMap("a", "1");
		draining.getMetadata().setLabels(Map.of(ShardingLabels.shard("r"), "s1", ShardingLabels.drain("r"), "true"));
		this.world.client.resource(draining).create();
		OverlayWorld.soon().until(() -> cache.get(this.world.namespace, "a").isPresent());
		this.world.watches.pauseResponses();
		PatchingDrainHandler handler = new PatchingDrainHandler(new ApiRequests(this.world.writing), "r")
			.tellingAnswersTo(caches::handIn);
		assertThat(handler.acknowledge(OverlayWorld.CONFIG_MAPS, cache.get(this.world.namespace, "a").orElseThrow()))
			.isTrue();
		assertThat(cache.get(this.world.namespace, "a")).isEmpty();
		assertThat(cache.list()).isEmpty();
		assertThat(cache.list(ListOptions.all().freshness(Freshness.ANY))).as("the watch").hasSize(1);
		this.world.watches.heal();
		OverlayWorld.soon().until(() -> caches.overlayStatuses().values().stream().allMatch(OverlayStatus::isEmpty));
		assertThat(cache.list()).isEmpty();
		ConfigMap free = this.world.onServer("a");
		free.getMetadata().setLabels(Map.of(ShardingLabels.shard("r"), "s1"));
		this.world.client.resource(free).update();
		OverlayWorld.soon().until(() -> cache.get(this.world.namespace, "a").isPresent());
	}

	/** Reads in each form in turn, and returns how often. */
	private int readForward(ResourceCache<ConfigMap> cache, ConfigMap shared, AtomicBoolean writing) {
		int reads = 0;
		ConfigMap last = shared;
		while (writing.get()) {
			List<ConfigMap> found = switch (reads % 3) {
				case 0 -> cache.get(ObjectKey.of(shared), Freshness.READ_YOUR_WRITES).stream().toList();
				case 1 -> cache.list(this.world.here());
				default -> cache.byIndex("n", last.getData().get("n"));
			};
			// The first update changes what it is filed under.
			if (reads % 3 != 2 || !found.isEmpty()) {
				assertThat(found).hasSize(1);
				assertThat(ResourceVersions.compare(found.get(0).getMetadata().getResourceVersion(),
						last.getMetadata().getResourceVersion()))
					.isIn(Order.SAME, Order.AFTER);
				last = found.get(0);
			}
			reads++;
		}
		return reads;
	}

	private void assertSeen(ResourceCache<ConfigMap> cache, String... names) {
		assertThat(cache.list(this.world.here())).extracting((map) -> map.getMetadata().getName())
			.containsExactlyInAnyOrder(names);
		assertThat(cache.get(this.world.namespace, "changed").orElseThrow().getData()).containsEntry("n", "2");
		assertThat(cache.get(this.world.namespace, "shared").orElseThrow().getData().get("n")).isIn("own", "foreign");
		assertThat(cache.get(this.world.namespace, "gone")).isEmpty();
		assertThat(cache.byIndex("n", "1")).extracting((map) -> map.getMetadata().getName())
			.isSubsetOf("made", "in-flight")
			.contains("made");
	}

}
