package dev.sharding.kubernetes.cache;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.rbac.PolicyRuleBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.sharding.core.ShardingLabels;
import dev.sharding.core.overlay.OverlayStatus;
import dev.sharding.kubernetes.drain.PatchingDrainHandler;
import dev.sharding.kubernetes.informer.InformerEvent;
import dev.sharding.kubernetes.resource.ObjectKey;
import dev.sharding.kubernetes.resource.ResourceType;
import dev.sharding.kubernetes.rest.ApiException;
import dev.sharding.kubernetes.rest.ApiRequests;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneExtension;
import dev.sharding.test.TcpProxy;
import dev.sharding.test.TestNamespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Own writes that are refused, or whose fate is unknown, and watches that fail meanwhile.
 * Informers and writes take different ways to the API server, each with its own troubles.
 */
class OverlayFaultIT {

	@RegisterExtension
	static final ControlPlaneExtension controlPlane = ControlPlaneExtension.own((builder) -> {
	});

	private static final ResourceType<ConfigMap> CONFIG_MAPS = ResourceType.of(ConfigMap.class);

	private final ControlPlane cluster;

	private final KubernetesClient client;

	private final String namespace;

	private final List<AutoCloseable> open = new ArrayList<>();

	private final List<String> reachedWriter = new CopyOnWriteArrayList<>();

	private final TcpProxy watches;

	private final TcpProxy writes;

	private final KubernetesClient writing;

	OverlayFaultIT(ControlPlane cluster, KubernetesClient client, @TestNamespace String namespace) {
		this.cluster = cluster;
		this.client = client;
		this.namespace = namespace;
		this.watches = TcpProxy.to(cluster.apiServer());
		this.writes = TcpProxy.to(cluster.apiServer());
		this.writing = cluster.admin().through(this.writes).client();
		this.open.add(this.watches);
		this.open.add(this.writes);
	}

	@AfterEach
	void close() throws Exception {
		for (int i = this.open.size() - 1; i >= 0; i--) {
			this.open.get(i).close();
		}
		this.client.configMaps().inNamespace(this.namespace).delete();
	}

	@Test
	void aWriteThatNeverGotThereHasNotHappened() {
		InformerCaches caches = caches();
		ResourceCache<ConfigMap> cache = caches.of(ConfigMap.class);
		ConfigMap made = cache.create(configMap("a", "1"));
		this.writes.refuse();
		assertUnknown(() -> cache.create(configMap("b", "1")));
		assertUnknown(() -> cache.update(changed(made, "2")));
		assertUnknown(() -> cache.delete(made));
		this.writes.heal();
		assertThat(cache.get(this.namespace, "a").orElseThrow().getData()).containsEntry("n", "1");
		assertThat(cache.get(this.namespace, "b")).isEmpty();
		assertThat(cache.list(here())).hasSize(1);
		comesToRest(caches);
	}

	@Test
	void aWriteWhoseAnswerIsLostIsSeenThoughTheWatchIsSilent() {
		InformerCaches caches = caches();
		ResourceCache<ConfigMap> cache = caches.of(ConfigMap.class);
		ConfigMap changed = cache.create(configMap("changed", "1"));
		ConfigMap gone = cache.create(configMap("gone", "1"));
		soon().until(() -> cache.list(here().freshness(Freshness.ANY)).size() == 2);
		this.watches.pauseResponses();
		loseAnswer(() -> cache.create(configMap("made", "1")), () -> onServer("made") != null);
		assertThat(cache.get(this.namespace, "made")).isPresent();
		loseAnswer(() -> cache.update(changed(changed, "2")), () -> "2".equals(onServer("changed").getData().get("n")));
		loseAnswer(() -> cache.delete(gone), () -> onServer("gone") == null);
		assertThat(cache.list(here())).extracting((map) -> map.getMetadata().getName())
			.containsExactlyInAnyOrder("made", "changed");
		assertThat(cache.byIndex("n", "2")).hasSize(1);
		assertThat(cache.get(this.namespace, "gone")).isEmpty();
		assertThat(cache.list(here().freshness(Freshness.ANY))).as("the watch").hasSize(2);
		this.watches.heal();
		comesToRest(caches);
		assertThat(cache.list(here())).hasSize(3);
	}

	@Test
	void readsAreRightAcrossAnExpiredWatch() throws Exception {
		InformerCaches caches = caches();
		ResourceCache<ConfigMap> cache = caches.of(ConfigMap.class);
		ConfigMap changed = cache.create(configMap("changed", "1"));
		ConfigMap gone = cache.create(configMap("gone", "1"));
		ConfigMap shared = cache.create(configMap("shared", "1"));
		soon().until(() -> cache.list(here().freshness(Freshness.ANY)).size() == 3);
		this.watches.refuse();
		writer().call(() -> {
			cache.create(configMap("made", "1"));
			cache.update(changed(changed, "2"));
			cache.delete(gone);
			cache.update(changed(shared, "own"));
			return true;
		});
		ConfigMap foreign = this.client.resource(changed(onServer("shared"), "foreign")).update();
		CompletableFuture<Void> inFlight = inFlight(() -> cache.create(configMap("in-flight", "1")),
				() -> onServer("in-flight") != null);
		this.cluster.forgetHistory();
		assertSeen(cache, "made", "changed", "shared");
		this.watches.heal();
		soon().until(() -> caches.statuses().get("configmaps.v1 (whole)").relists() == 2);
		assertSeen(cache, "made", "changed", "shared", "in-flight");
		this.writes.heal();
		assertThat(inFlight).succeedsWithin(Duration.ofSeconds(60));
		assertSeen(cache, "made", "changed", "shared", "in-flight");
		soon().until(() -> this.reachedWriter.contains(foreign.getMetadata().getResourceVersion()));
		comesToRest(caches);
	}

	@Test
	void readsAreRightWhenTheWatchIsCutAndTheCachesAreMadeAnew() {
		InformerCaches caches = caches();
		ResourceCache<ConfigMap> cache = caches.of(ConfigMap.class);
		ConfigMap now = cache.create(configMap("a", "0"));
		for (int i = 1; i <= 20; i++) {
			now = cache.update(changed(now, Integer.toString(i)));
			this.watches.cut();
			assertThat(cache.byIndex("n", Integer.toString(i))).hasSize(1);
		}
		comesToRest(caches);
		caches.close();
		assertThat(caches().of(ConfigMap.class).get(this.namespace, "a").orElseThrow().getData()).containsEntry("n",
				"20");
	}

	@Test
	void anAcknowledgedDrainIsOutOfSightAtOnceAndComesBackWhenItIsAssigned() {
		KubernetesClient watching = this.cluster.admin().through(this.watches).client();
		InformerCaches caches = new InformerCaches(watching, new ApiRequests(this.writing),
				new CacheScope(Set.of(this.namespace), "r", "s1", "cache-test", false),
				new ObjectCopier(watching.getKubernetesSerialization()), InstantSource.system(), System::nanoTime);
		this.open.add(caches);
		caches.declareMain(CONFIG_MAPS);
		ResourceCache<ConfigMap> cache = caches.of(ConfigMap.class);
		caches.start();
		ConfigMap draining = configMap("a", "1");
		draining.getMetadata().setLabels(Map.of(ShardingLabels.shard("r"), "s1", ShardingLabels.drain("r"), "true"));
		this.client.resource(draining).create();
		soon().until(() -> cache.get(this.namespace, "a").isPresent());
		this.watches.pauseResponses();
		PatchingDrainHandler handler = new PatchingDrainHandler(new ApiRequests(this.writing), "r")
			.tellingAnswersTo(caches::handIn);
		assertThat(handler.acknowledge(CONFIG_MAPS, cache.get(this.namespace, "a").orElseThrow())).isTrue();
		assertThat(cache.get(this.namespace, "a")).isEmpty();
		assertThat(cache.list()).isEmpty();
		assertThat(cache.list(ListOptions.all().freshness(Freshness.ANY))).as("the watch").hasSize(1);
		this.watches.heal();
		soon().until(() -> caches.overlayStatuses().values().stream().allMatch(OverlayStatus::isEmpty));
		assertThat(cache.list()).isEmpty();
		ConfigMap free = onServer("a");
		free.getMetadata().setLabels(Map.of(ShardingLabels.shard("r"), "s1"));
		this.client.resource(free).update();
		soon().until(() -> cache.get(this.namespace, "a").isPresent());
	}

	@Test
	void aForbiddenWriteLeavesNothing() {
		KubernetesClient reader = this.cluster
			.userIn("reader", this.namespace,
					new PolicyRuleBuilder().withApiGroups("")
						.withResources("configmaps")
						.withVerbs("get", "list", "watch")
						.build())
			.client();
		ConfigMap made = this.client.resource(configMap("a", "1")).create();
		InformerCaches caches = caches(reader, reader);
		ResourceCache<ConfigMap> cache = caches.of(ConfigMap.class);
		List<Runnable> attempts = List.of(() -> cache.create(configMap("b", "1")),
				() -> cache.update(changed(made, "2")), () -> cache.patch(made, (map) -> changed(map, "2")),
				() -> cache.apply(configMap("a", "2")), () -> cache.delete(made));
		for (Runnable attempt : attempts) {
			assertThatExceptionOfType(ApiException.class).isThrownBy(attempt::run)
				.satisfies((ex) -> assertThat(ex.status()).isEqualTo(403));
		}
		assertThat(cache.list(here())).singleElement()
			.satisfies((map) -> assertThat(map.getData()).containsEntry("n", "1"));
		assertThat(caches.overlayStatuses().values()).allMatch(OverlayStatus::isEmpty);
	}

	private void assertSeen(ResourceCache<ConfigMap> cache, String... names) {
		assertThat(cache.list(here())).extracting((map) -> map.getMetadata().getName())
			.containsExactlyInAnyOrder(names);
		assertThat(cache.get(this.namespace, "changed").orElseThrow().getData()).containsEntry("n", "2");
		assertThat(cache.get(this.namespace, "shared").orElseThrow().getData().get("n")).isIn("own", "foreign");
		assertThat(cache.get(this.namespace, "gone")).isEmpty();
		assertThat(cache.byIndex("n", "1")).extracting((map) -> map.getMetadata().getName())
			.isSubsetOf("made", "in-flight")
			.contains("made");
	}

	/** Sends a write of which the API server learns, and its sender nothing. */
	private void loseAnswer(Runnable write, Callable<Boolean> happened) {
		CompletableFuture<Void> sent = inFlight(write, happened);
		this.writes.refuse();
		assertThat(sent).failsWithin(Duration.ofSeconds(60))
			.withThrowableThat()
			.havingCause()
			.isInstanceOf(ApiException.class);
		this.writes.heal();
	}

	private CompletableFuture<Void> inFlight(Runnable write, Callable<Boolean> happened) {
		// A new connection could not even be greeted once answers are held back.
		soon().ignoreExceptions().until(() -> this.writing.namespaces().withName(this.namespace).get() != null);
		this.writes.pauseResponses();
		CompletableFuture<Void> sent = CompletableFuture.runAsync(write);
		soon().until(happened);
		return sent;
	}

	private static void assertUnknown(Runnable write) {
		assertThatExceptionOfType(ApiException.class).isThrownBy(write::run)
			.satisfies((ex) -> assertThat(ex.isAnswered()).isFalse());
	}

	private InformerCaches caches() {
		return caches(this.cluster.admin().through(this.watches).client(), this.writing);
	}

	private InformerCaches caches(KubernetesClient forWatches, KubernetesClient forWrites) {
		InformerCaches caches = new InformerCaches(forWatches, new ApiRequests(forWrites),
				new CacheScope(Set.of(this.namespace), "", "", "cache-test", false),
				new ObjectCopier(forWatches.getKubernetesSerialization()), InstantSource.system(), System::nanoTime);
		this.open.add(caches);
		caches.index(CONFIG_MAPS, "n", (map) -> List.of(map.getData().get("n")));
		caches.of(ConfigMap.class);
		caches.addHandler(CONFIG_MAPS, false, (event, reaches) -> {
			if (event instanceof InformerEvent.Updated<ConfigMap> updated && reaches.test(writer())) {
				this.reachedWriter.add(updated.after().getMetadata().getResourceVersion());
			}
		});
		caches.start();
		assertThat(caches.synced()).succeedsWithin(Duration.ofSeconds(60));
		return caches;
	}

	/** A later write tells at once what deletes would otherwise be asked about. */
	private void comesToRest(InformerCaches caches) {
		caches.of(ConfigMap.class).create(configMap("end", "end"));
		Awaitility.await()
			.atMost(Duration.ofMinutes(4))
			.pollInterval(Duration.ofMillis(100))
			.until(() -> caches.overlayStatuses().values().stream().allMatch(OverlayStatus::isEmpty));
	}

	private static ConditionFactory soon() {
		return Awaitility.await().atMost(Duration.ofSeconds(90)).pollInterval(Duration.ofMillis(20));
	}

	private Writer writer() {
		return new Writer("test", new ObjectKey(this.namespace, "writer"));
	}

	private ConfigMap onServer(String name) {
		return this.client.configMaps().inNamespace(this.namespace).withName(name).get();
	}

	private ListOptions here() {
		return ListOptions.all().inNamespace(this.namespace);
	}

	private static ConfigMap changed(ConfigMap map, String n) {
		return new ConfigMapBuilder(map).addToData("n", n).build();
	}

	private ConfigMap configMap(String name, String n) {
		return new ConfigMapBuilder().withNewMetadata()
			.withName(name)
			.withNamespace(this.namespace)
			.endMetadata()
			.addToData("n", n)
			.build();
	}

}
