package dev.sharding.internal.kubernetes.cache;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import org.awaitility.Awaitility;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import dev.sharding.cache.DeleteOptions;
import dev.sharding.cache.Freshness;
import dev.sharding.cache.InformerEvent;
import dev.sharding.cache.ListOptions;
import dev.sharding.cache.ResourceCache;
import dev.sharding.client.ApiException;
import dev.sharding.internal.core.overlay.OverlayStatus;
import dev.sharding.internal.core.overlay.OwnWrite;
import dev.sharding.internal.core.read.ResourceVersions;
import dev.sharding.internal.core.read.ResourceVersions.Order;
import dev.sharding.internal.kubernetes.cache.overlay.CacheScope;
import dev.sharding.internal.kubernetes.cache.overlay.OverlaidStore;
import dev.sharding.internal.kubernetes.cache.read.ObjectCopier;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Contracts C3 and C4 on a real API server. {@code -Doverlay.stress.pairs=20000} plays
 * the full number of write-read pairs.
 */
@ControlPlaneTest
class ReadYourWritesIT {

	private static final ResourceType<ConfigMap> CONFIG_MAPS = ResourceType.of(ConfigMap.class);

	private static final int PAIRS = Integer.getInteger("overlay.stress.pairs", 2_000);

	private static final int WRITERS = 4;

	private final KubernetesClient client;

	private final String namespace;

	private final InformerCaches caches;

	private final Queue<InformerEvent<ConfigMap>> reachedWriter = new ConcurrentLinkedQueue<>();

	private ResourceCache<ConfigMap> cache;

	ReadYourWritesIT(KubernetesClient client, @TestNamespace String namespace) {
		this.client = client;
		this.namespace = namespace;
		this.caches = new InformerCaches(client, new ApiRequests(client),
				new CacheScope(Set.of(namespace), "", "", "cache-test", false),
				new ObjectCopier(client.getKubernetesSerialization()), InstantSource.system(), System::nanoTime);
	}

	@BeforeEach
	void start() {
		this.cache = this.caches.of(ConfigMap.class);
		this.caches.index(CONFIG_MAPS, "n", (map) -> List.of(map.getData().getOrDefault("n", "none")));
		this.caches.addHandler(CONFIG_MAPS, false, (event, reaches) -> {
			if (reaches.test(writer(0))) {
				this.reachedWriter.add(event);
			}
		});
		this.caches.start();
		assertThat(this.caches.synced()).succeedsWithin(Duration.ofSeconds(60));
	}

	@AfterEach
	void close() {
		this.caches.close();
		this.client.configMaps().inNamespace(this.namespace).delete();
	}

	@Test
	void noReadIsOlderThanAWriteThatReturned() throws Exception {
		AtomicInteger stale = new AtomicInteger();
		AtomicInteger staleControl = new AtomicInteger();
		AtomicInteger pairs = new AtomicInteger();
		inParallel((writer) -> {
			for (int round = 0; round < PAIRS / WRITERS / 4; round++) {
				String name = "w" + writer + "-" + round;
				ConfigMap made = this.cache.create(configMap(name, "1"));
				compare(made, stale, staleControl);
				ConfigMap updated = this.cache.update(changed(made, "2"));
				compare(updated, stale, staleControl);
				ConfigMap patched = this.cache.patch(updated, (map) -> changed(map, "3"));
				compare(patched, stale, staleControl);
				this.cache.delete(patched);
				if (isSeen(made, Freshness.READ_YOUR_WRITES)) {
					stale.incrementAndGet();
				}
				if (isSeen(made, Freshness.ANY)) {
					staleControl.incrementAndGet();
				}
				pairs.addAndGet(4);
			}
		});
		System.out.printf("%d write-read pairs: %d stale reads, %d of a plain cache%n", pairs.get(), stale.get(),
				staleControl.get());
		assertThat(stale).hasValue(0);
		assertThat(staleControl.get()).as("stale reads of a plain cache").isPositive();
		comesToRest();
	}

	@Test
	void noForeignChangeIsSwallowedAndNoOwnOneComesBack() throws Exception {
		ConfigMap shared = this.cache.create(configMap("shared", "0"));
		Set<String> own = ConcurrentHashMap.newKeySet();
		Set<String> foreign = ConcurrentHashMap.newKeySet();
		AtomicBoolean writing = new AtomicBoolean(true);
		ExecutorService other = Executors.newSingleThreadExecutor();
		Future<?> foreignWriter = other.submit(() -> {
			for (int i = 0; writing.get(); i++) {
				int value = i;
				foreign.add(this.client.configMaps()
					.inNamespace(this.namespace)
					.withName("shared")
					.patch(PatchContext.of(PatchType.JSON_MERGE), "{\"data\":{\"foreign\":\"" + value + "\"}}")
					.getMetadata()
					.getResourceVersion());
			}
		});
		writer(0).call(() -> {
			for (int i = 0; i < PAIRS / 4; i++) {
				try {
					ConfigMap now = this.cache.get(ObjectKey.of(shared), Freshness.READ_YOUR_WRITES).orElseThrow();
					own.add(this.cache.update(changed(now, "own-" + i)).getMetadata().getResourceVersion());
				}
				catch (ApiException ex) {
					assertThat(ex.status()).isEqualTo(409);
				}
			}
			return true;
		});
		writing.set(false);
		foreignWriter.get();
		other.shutdown();
		comesToRest();
		Set<String> reached = new HashSet<>();
		this.reachedWriter.forEach((event) -> reached.add(version(event)));
		System.out.printf("%d own and %d foreign writes, %d events reached the writer%n", own.size(), foreign.size(),
				this.reachedWriter.size());
		assertThat(own).isNotEmpty();
		assertThat(foreign).isNotEmpty().isSubsetOf(reached);
		assertThat(reached).doesNotContainAnyElementsOf(own);
	}

	@Test
	void aWriteOfUnknownOutcomeIsSeenByTheNextRead() {
		assertThatExceptionOfType(ApiException.class).isThrownBy(() -> lost("lost", this::createByOthers));
		assertThat(this.cache.get(this.namespace, "lost")).isPresent();
		assertThat(this.cache.list(here())).hasSize(1);
		assertThatExceptionOfType(ApiException.class).isThrownBy(() -> lost("never", (name) -> {
		}));
		assertThat(this.cache.list(here())).hasSize(1);
		assertThat(this.cache.get(this.namespace, "never")).isEmpty();
		comesToRest();
	}

	@Test
	void aRefusedWriteLeavesNothing() {
		ConfigMap made = this.cache.create(configMap("a", "1"));
		assertThatExceptionOfType(ApiException.class).isThrownBy(() -> this.cache.create(configMap("a", "1")))
			.satisfies((ex) -> assertThat(ex.status()).isEqualTo(409));
		ConfigMap invalid = configMap("a", "1");
		invalid.getMetadata().setResourceVersion(made.getMetadata().getResourceVersion());
		invalid.getMetadata().setLabels(Map.of("not a label", "x"));
		assertThatExceptionOfType(ApiException.class).isThrownBy(() -> this.cache.update(invalid))
			.satisfies((ex) -> assertThat(ex.status()).isEqualTo(422));
		this.cache.delete(made);
		assertThatExceptionOfType(ApiException.class).isThrownBy(() -> this.cache.update(changed(made, "2")))
			.satisfies((ex) -> assertThat(ex.status()).isIn(404, 409));
		assertThat(this.cache.get(this.namespace, "a")).isEmpty();
		comesToRest();
	}

	@Test
	void aWriteThatOthersOvertookIsRefused() {
		ConfigMap made = this.cache.create(configMap("a", "1"));
		this.client.resource(made).edit((map) -> changed(map, "theirs"));
		List<ThrowingCallable> late = List.of(() -> this.cache.update(changed(made, "2")),
				() -> this.cache.patch(made, (map) -> changed(map, "3")),
				() -> this.cache.delete(made, DeleteOptions.defaults().onlyIfUnchanged()));
		assertThat(late).allSatisfy((write) -> assertThatExceptionOfType(ApiException.class).isThrownBy(write)
			.satisfies((ex) -> assertThat(ex.status()).isEqualTo(409)));
		assertThat(this.client.resource(made).get().getData()).containsEntry("n", "theirs");
		comesToRest();
	}

	@Test
	void anObjectWithAFinalizerIsSeenTerminatingAndThenGone() {
		ConfigMap wanted = configMap("a", "1");
		wanted.getMetadata().setFinalizers(List.of("test.sharding.dev/wait"));
		ConfigMap made = this.cache.create(wanted);
		this.cache.delete(made);
		ConfigMap terminating = this.cache.get(this.namespace, "a").orElseThrow();
		assertThat(terminating.getMetadata().getDeletionTimestamp()).isNotNull();
		this.cache.patch(terminating, (map) -> {
			map.getMetadata().setFinalizers(null);
			return map;
		});
		assertThat(this.cache.get(this.namespace, "a")).isEmpty();
		assertThat(this.cache.list(here())).isEmpty();
		ConfigMap anew = this.cache.create(configMap("a", "2"));
		assertThat(this.cache.get(this.namespace, "a"))
			.hasValueSatisfying((map) -> assertThat(map.getMetadata().getUid()).isEqualTo(anew.getMetadata().getUid()));
		comesToRest();
	}

	@Test
	void aWriteOfAPlainClientCanBeHandedIn() {
		ConfigMap made = createByOthers("plain");
		this.cache.handIn(made);
		assertThat(this.cache.get(this.namespace, "plain")).isPresent();
		comesToRest();
	}

	@Test
	void anApplyIsSeenAndDoesNotComeBack() throws Exception {
		writer(0).call(() -> {
			this.cache.apply(configMap("applied", "1"));
			this.cache.apply(configMap("applied", "2"));
			return true;
		});
		assertThat(this.cache.byIndex("n", "2")).hasSize(1);
		assertThat(this.cache.byIndex("n", "1")).isEmpty();
		comesToRest();
		assertThat(this.reachedWriter).filteredOn(InformerEvent.Updated.class::isInstance).isEmpty();
	}

	private void lost(String name, Consumer<String> request) {
		OverlaidStore<ConfigMap> store = (OverlaidStore<ConfigMap>) this.caches.store(CONFIG_MAPS).get();
		ObjectKey key = new ObjectKey(this.namespace, name);
		store.overlay().write(this.namespace, new OwnWrite.Create<>(writer(0), key, (any) -> false), () -> {
			request.accept(name);
			throw new ApiException(0, "Timeout", null, "Failed to create configmaps " + key + ": no answer", null);
		}, null);
	}

	private ConfigMap createByOthers(String name) {
		return this.client.configMaps().inNamespace(this.namespace).resource(configMap(name, "1")).create();
	}

	private void compare(ConfigMap written, AtomicInteger stale, AtomicInteger staleControl) {
		if (isOlder(written, Freshness.READ_YOUR_WRITES)) {
			stale.incrementAndGet();
		}
		if (isOlder(written, Freshness.ANY)) {
			staleControl.incrementAndGet();
		}
	}

	private boolean isOlder(ConfigMap written, Freshness freshness) {
		Optional<ConfigMap> got = this.cache.get(ObjectKey.of(written), freshness);
		String name = written.getMetadata().getName();
		Optional<ConfigMap> indexed = this.cache.byIndex("n", written.getData().get("n"), freshness)
			.stream()
			.filter((map) -> map.getMetadata().getName().equals(name))
			.findFirst();
		Optional<ConfigMap> listed = this.cache.list(here().freshness(freshness).withLabels(Map.of("name", name)))
			.stream()
			.findFirst();
		return isOlder(got, written) || isOlder(indexed, written) || isOlder(listed, written);
	}

	private static boolean isOlder(Optional<ConfigMap> read, ConfigMap written) {
		return read.isEmpty() || ResourceVersions.compare(read.get().getMetadata().getResourceVersion(),
				written.getMetadata().getResourceVersion()) == Order.BEFORE;
	}

	private boolean isSeen(ConfigMap object, Freshness freshness) {
		return this.cache.get(ObjectKey.of(object), freshness).isPresent() || !this.cache
			.list(here().freshness(freshness).withLabels(Map.of("name", object.getMetadata().getName())))
			.isEmpty();
	}

	/** A later write tells at once what deletes would otherwise be asked about. */
	private void comesToRest() {
		this.cache.create(configMap("end", "end"));
		Awaitility.await()
			.atMost(Duration.ofMinutes(4))
			.pollInterval(Duration.ofMillis(100))
			.until(() -> this.caches.overlayStatuses().values().stream().allMatch(OverlayStatus::isEmpty));
	}

	private void inParallel(Consumer<Integer> work) throws Exception {
		ExecutorService threads = Executors.newFixedThreadPool(WRITERS);
		List<Future<Boolean>> running = new ArrayList<>();
		for (int i = 0; i < WRITERS; i++) {
			int writer = i;
			Callable<Boolean> task = () -> {
				work.accept(writer);
				return true;
			};
			running.add(threads.submit(() -> writer(writer).call(task)));
		}
		for (Future<Boolean> each : running) {
			each.get();
		}
		threads.shutdown();
	}

	private Writer writer(int number) {
		return new Writer("test", new ObjectKey(this.namespace, "writer-" + number));
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
			.addToLabels("name", name)
			.endMetadata()
			.addToData("n", n)
			.build();
	}

	private static String version(InformerEvent<ConfigMap> event) {
		if (event instanceof InformerEvent.Added<ConfigMap> added) {
			return added.object().getMetadata().getResourceVersion();
		}
		if (event instanceof InformerEvent.Updated<ConfigMap> updated) {
			return updated.after().getMetadata().getResourceVersion();
		}
		return "";
	}

}
