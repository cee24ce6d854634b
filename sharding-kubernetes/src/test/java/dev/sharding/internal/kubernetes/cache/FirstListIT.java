package dev.sharding.internal.kubernetes.cache;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.rbac.PolicyRuleBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import dev.sharding.cache.CacheNotFilledException;
import dev.sharding.cache.CacheNotFilledException.Reason;
import dev.sharding.cache.ConsistentReadException;
import dev.sharding.cache.DeleteOptions;
import dev.sharding.cache.Freshness;
import dev.sharding.cache.InformerEvent;
import dev.sharding.cache.ListOptions;
import dev.sharding.cache.NamespaceNotCoveredException;
import dev.sharding.cache.ReadCancellation;
import dev.sharding.cache.ResourceCache;
import dev.sharding.internal.kubernetes.informer.InformerStatus;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Reads of caches that were never filled: what exists must not be answered as absent.
 */
@ControlPlaneTest
class FirstListIT {

	private static final ResourceType<Secret> SECRETS = ResourceType.of(Secret.class);

	private static final ResourceDefinitionContext MISSING = new ResourceDefinitionContext.Builder()
		.withGroup("missing.sharding.dev")
		.withVersion("v1")
		.withPlural("certificates")
		.withKind("Certificate")
		.withNamespaced(true)
		.build();

	private final OverlayWorld world;

	private final ObjectKey key;

	private final InformerCaches caches;

	private final ConfigMap owner;

	FirstListIT(ControlPlane cluster, KubernetesClient client, @TestNamespace String namespace) {
		this.world = new OverlayWorld(cluster, client, namespace);
		this.key = new ObjectKey(namespace, "a");
		this.owner = client.resource(this.world.configMap("owner", "0")).create();
		client
			.resource(new ConfigMapBuilder(this.world.configMap("a", "1")).editMetadata()
				.addNewOwnerReference()
				.withApiVersion("v1")
				.withKind("ConfigMap")
				.withName("owner")
				.withUid(this.owner.getMetadata().getUid())
				.withController(true)
				.endOwnerReference()
				.endMetadata()
				.build())
			.create();
		this.caches = caches(cluster.admin().through(this.world.watches).client());
	}

	@AfterEach
	void close() throws Exception {
		this.world.close();
	}

	@Test
	void aCacheThatIsFirstAskedForWhenAllRunAnswersWhatThereIs() {
		start();
		assertThat(this.caches.of(ConfigMap.class).get(this.key, Freshness.READ_YOUR_WRITES)).isPresent();
	}

	@Test
	void everyReadWaitsForTheFirstList() {
		for (Function<ResourceCache<ConfigMap>, Integer> read : List.<Function<ResourceCache<ConfigMap>, Integer>>of(
				(cache) -> cache.get(this.key, Freshness.ANY).isPresent() ? 1 : 0,
				(cache) -> cache.get(this.key, Freshness.READ_YOUR_WRITES).isPresent() ? 1 : 0,
				(cache) -> cache.list(this.world.here().controlledBy(this.owner)).size(),
				(cache) -> cache.list(this.world.here().controlledBy(this.owner).resourceVersion("0")).size(),
				(cache) -> cache.page(this.world.here().controlledBy(this.owner).freshness(Freshness.ANY))
					.items()
					.size(),
				(cache) -> cache.byIndex("n", "1").size(), (cache) -> cache.byIndex("n", "1", Freshness.ANY).size())) {
			this.world.watches.heal();
			InformerCaches fresh = caches(this.world.cluster.admin().through(this.world.watches).client());
			fresh.start();
			this.world.watches.pause();
			ResourceCache<ConfigMap> cache = fresh.of(ConfigMap.class);
			CompletableFuture<Integer> found = CompletableFuture.supplyAsync(() -> read.apply(cache));
			OverlayWorld.soon().until(() -> fresh.statuses().size() == 1);
			assertThat(found).isNotDone();
			this.world.watches.heal();
			assertThat(found).succeedsWithin(30, TimeUnit.SECONDS).isEqualTo(1);
		}
	}

	@Test
	void aWriteKnowsWhatThereIs() {
		start();
		ConfigMap scratch = new ConfigMapBuilder(this.world.configMap("a", "2")).build();
		assertThat(this.caches.of(ConfigMap.class).update(scratch).getData()).containsEntry("n", "2");
	}

	@Test
	void aDeleteKnowsWhatThereIs() {
		start();
		this.world.watches.pause();
		ResourceCache<ConfigMap> cache = this.caches.of(ConfigMap.class);
		CompletableFuture<Void> deleted = CompletableFuture
			.runAsync(() -> cache.delete(this.world.configMap("a", "2"), DeleteOptions.defaults().onlyIfUnchanged()));
		OverlayWorld.soon().until(() -> this.world.watches.connections() > 0);
		assertThat(deleted).isNotDone();
		this.world.watches.heal();
		assertThat(deleted).succeedsWithin(30, TimeUnit.SECONDS);
		assertThat(this.world.onServer("a")).isNull();
	}

	@Test
	void aDeleteOfAKnownVersionWaitsForNoList() {
		this.world.watches.pause();
		InformerCaches fresh = this.world.unstarted(this.world.cluster.admin().through(this.world.watches).client(),
				this.world.writing, "", "");
		fresh.start();
		fresh.of(ConfigMap.class).delete(this.world.onServer("a"), DeleteOptions.defaults().onlyIfUnchanged());
		assertThat(this.world.onServer("a")).isNull();
	}

	@Test
	void aReadWaitsNoLongerThanItsDeadline() {
		start();
		this.world.watches.pause();
		ResourceCache<ConfigMap> cache = this.caches.of(ConfigMap.class);
		Freshness soon = Freshness.READ_YOUR_WRITES.within(Duration.ofMillis(100));
		assertFails(Reason.DEADLINE, () -> cache.get(this.key, soon));
		assertFails(Reason.DEADLINE, () -> cache.byIndex("n", "1", Freshness.ANY.within(Duration.ofMillis(100))));
		ReadCancellation cancellation = new ReadCancellation();
		CompletableFuture<Void> read = CompletableFuture.runAsync(() -> assertFails(Reason.CANCELLED,
				() -> cache.list(this.world.here().freshness(Freshness.ANY.cancelledBy(cancellation)))));
		cancellation.cancel();
		assertThat(read).succeedsWithin(30, TimeUnit.SECONDS);
	}

	@Test
	void aReadOfWhatIsNotServedFailsAndSaysSo() {
		start();
		ResourceCache<GenericKubernetesResource> cache = this.caches.of(MISSING);
		assertRefused(this.caches, cache, "404");
	}

	@Test
	void aReadOfWhatNobodyMayReadFailsAndSaysSo() {
		KubernetesClient blind = this.world.cluster
			.userIn("writer", this.world.namespace,
					new PolicyRuleBuilder().withApiGroups("")
						.withResources("configmaps")
						.withVerbs("get", "create", "update", "patch")
						.build())
			.client();
		InformerCaches fresh = caches(blind);
		fresh.start();
		ResourceCache<ConfigMap> cache = fresh.of(ConfigMap.class);
		assertRefused(fresh, cache, "403");
		// Who knows the version needs no cache to write.
		ConfigMap present = this.world.onServer("a");
		assertThat(cache.update(OverlayWorld.changed(present, "2")).getData()).containsEntry("n", "2");
		assertThat(cache.get(this.key, Freshness.CONSISTENT)).isPresent();
	}

	@Test
	void aReadBeforeTheStartFailsAtOnce() {
		ResourceCache<ConfigMap> cache = this.caches.of(ConfigMap.class);
		assertFails(Reason.NOT_STARTED, () -> cache.get(this.key, Freshness.READ_YOUR_WRITES));
		assertFails(Reason.NOT_STARTED, cache::list);
		// Made, but not started: as by whoever adds a handler before.
		this.caches.addHandler(OverlayWorld.CONFIG_MAPS, false, (event, reaches) -> {
		});
		assertFails(Reason.NOT_STARTED, () -> cache.byIndex("n", "1"));
	}

	@Test
	void aConsistentReadInAHandlerOfItsOwnCacheFailsAtOnce() {
		AtomicReference<Throwable> list = new AtomicReference<>();
		AtomicReference<Object> memory = new AtomicReference<>();
		AtomicReference<Object> live = new AtomicReference<>();
		ResourceCache<ConfigMap> cache = this.caches.of(ConfigMap.class);
		onAdded((added) -> {
			memory.set(cache.get(this.key, Freshness.READ_YOUR_WRITES).isPresent());
			live.set(cache.list(this.world.here().freshness(Freshness.CONSISTENT.orLive())).size());
			list.set(org.assertj.core.api.Assertions
				.catchThrowable(() -> cache.list(this.world.here().freshness(Freshness.CONSISTENT))));
		});
		start();
		OverlayWorld.soon().until(() -> list.get() != null);
		assertThat(list.get()).isInstanceOfSatisfying(ConsistentReadException.class, (ex) -> {
			assertThat(ex.reason()).isEqualTo(ConsistentReadException.Reason.THREAD);
			assertThat(ex).hasMessageContaining("handlers");
		});
		assertThat(memory.get()).isEqualTo(true);
		assertThat(live.get()).isEqualTo(2);
		assertThat(this.caches.synced()).succeedsWithin(Duration.ofSeconds(60));
	}

	@Test
	void aReadOnAnEventLoopFailsAtOnce() {
		start();
		this.world.watches.pause();
		ResourceCache<ConfigMap> cache = this.caches.of(ConfigMap.class);
		assertThat(onEventLoop(() -> cache.get(this.key, Freshness.READ_YOUR_WRITES))).isInstanceOfSatisfying(
				CacheNotFilledException.class, (ex) -> assertThat(ex.reason()).isEqualTo(Reason.THREAD));
		assertThat(onEventLoop(() -> cache.get(this.key, Freshness.CONSISTENT))).isInstanceOfSatisfying(
				ConsistentReadException.class,
				(ex) -> assertThat(ex.reason()).isEqualTo(ConsistentReadException.Reason.THREAD));
	}

	@Test
	void handlersThatReadOneAnothersCachesDoNotKeepThemFromFilling() {
		ResourceCache<ConfigMap> configMaps = this.caches.of(ConfigMap.class);
		ResourceCache<Secret> secrets = this.caches.of(Secret.class);
		this.world.client
			.resource(new SecretBuilder().withNewMetadata()
				.withNamespace(this.world.namespace)
				.withName("first-list")
				.endMetadata()
				.build())
			.create();
		AtomicReference<Object> seen = new AtomicReference<>();
		AtomicReference<Object> listed = new AtomicReference<>();
		onAdded((added) -> listed.set(secrets.list(this.world.here()).size()));
		this.caches.addHandler(SECRETS, false, (event, reaches) -> {
			if (event instanceof InformerEvent.Added) {
				seen.set(configMaps.get(this.key, Freshness.READ_YOUR_WRITES).isPresent());
			}
		});
		start();
		assertThat(this.caches.synced()).succeedsWithin(Duration.ofSeconds(60));
		assertThat(seen.get()).isEqualTo(true);
		assertThat(listed.get()).isEqualTo(1);
	}

	@Test
	void aNamespaceThatTheCachesDoNotCoverIsNotEmpty() {
		start();
		ResourceCache<ConfigMap> cache = this.caches.of(ConfigMap.class);
		for (Freshness freshness : List.of(Freshness.ANY, Freshness.READ_YOUR_WRITES, Freshness.CONSISTENT)) {
			assertNotCovered(() -> cache.get(new ObjectKey("elsewhere", "a"), freshness));
			assertNotCovered(() -> cache.list(ListOptions.all().inNamespace("elsewhere").freshness(freshness)));
			assertNotCovered(() -> cache.page(ListOptions.all().inNamespace("elsewhere").freshness(freshness)));
		}
	}

	private void assertNotCovered(ThrowingCallable read) {
		assertThatExceptionOfType(NamespaceNotCoveredException.class).isThrownBy(read)
			.withMessageContainingAll("elsewhere", this.world.namespace, "sharding.namespaces")
			.satisfies((ex) -> assertThat(ex.namespace()).isEqualTo("elsewhere"));
	}

	private <T extends HasMetadata> void assertRefused(InformerCaches fresh, ResourceCache<T> cache, String status) {
		assertFails(Reason.REFUSED, () -> cache.get(this.key, Freshness.READ_YOUR_WRITES));
		OverlayWorld.soon().until(() -> fresh.statuses().values().stream().allMatch(InformerStatus::refused));
		Freshness patient = Freshness.READ_YOUR_WRITES.within(Duration.ofHours(1));
		assertFails(Reason.REFUSED, () -> cache.get(this.key, patient));
		assertFails(Reason.REFUSED, () -> cache.list(ListOptions.all().freshness(patient)));
		assertThatExceptionOfType(CacheNotFilledException.class).isThrownBy(cache::list)
			.withMessageContaining(status)
			.satisfies((ex) -> assertThat(ex.retryAfter()).isEqualTo(Duration.ofSeconds(10)));
		assertThatExceptionOfType(ConsistentReadException.class)
			.isThrownBy(() -> cache.list(ListOptions.all().freshness(Freshness.CONSISTENT.within(Duration.ofHours(1)))))
			.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(ConsistentReadException.Reason.REFUSED))
			.withCauseInstanceOf(CacheNotFilledException.class);
	}

	private static void assertFails(Reason reason, ThrowingCallable read) {
		assertThatExceptionOfType(CacheNotFilledException.class).isThrownBy(read)
			.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(reason));
	}

	private Throwable onEventLoop(ThrowingCallable read) {
		CompletableFuture<Throwable> failure = new CompletableFuture<>();
		// A chain that is not done yet runs where the answer comes in.
		this.world.writes.pauseResponses();
		new ApiRequests(this.world.writing).send(ApiRequest.of("GET", "/version")).whenComplete((answer, refusal) -> {
			assertThat(Thread.currentThread().getName()).contains("eventloop");
			failure.complete(catchThrowable(read));
		});
		this.world.writes.heal();
		return failure.orTimeout(30, TimeUnit.SECONDS).join();
	}

	private void onAdded(Consumer<ConfigMap> handler) {
		this.caches.addHandler(OverlayWorld.CONFIG_MAPS, false, (event, reaches) -> {
			if (event instanceof InformerEvent.Added<ConfigMap> added
					&& added.object().getMetadata().getName().equals("a")) {
				handler.accept(added.object());
			}
		});
	}

	private void start() {
		this.caches.start();
	}

	private InformerCaches caches(KubernetesClient forWatches) {
		KubernetesClient writing = forWatches.getConfiguration().getClientCertData() != null ? this.world.writing
				: forWatches;
		InformerCaches made = this.world.unstarted(forWatches, writing, "", "");
		made.index(OverlayWorld.CONFIG_MAPS, "n", (map) -> List
			.of(((map.getData() != null) ? map.getData() : Map.<String, String>of()).getOrDefault("n", "")));
		return made;
	}

}
