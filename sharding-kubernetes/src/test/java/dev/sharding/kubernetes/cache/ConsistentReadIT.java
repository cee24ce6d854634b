package dev.sharding.kubernetes.cache;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import dev.sharding.core.ShardingLabels;
import dev.sharding.kubernetes.resource.ObjectKey;
import dev.sharding.kubernetes.resource.ResourceType;
import dev.sharding.kubernetes.rest.ApiRequests;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Contract C5 on a real API server: every read shows a state of the scope that was the
 * latest between its beginning and its end. The writers go past the caches.
 * {@code -Dconsistent.reads=10000} plays the full number of reads.
 */
@ControlPlaneTest
class ConsistentReadIT {

	private static final int READS = Integer.getInteger("consistent.reads", 1_000);

	private static final int READERS = 3;

	private static final int WRITERS = 3;

	private final KubernetesClient client;

	private final String namespace;

	private final InformerCaches caches;

	private final ResourceCache<ConfigMap> cache;

	private final ScopeHistory history;

	ConsistentReadIT(KubernetesClient client, @TestNamespace String namespace) {
		this.client = client;
		this.namespace = namespace;
		this.caches = new InformerCaches(client, new ApiRequests(client),
				new CacheScope(Set.of(namespace), "ring", "me", "cache-test", false),
				new ObjectCopier(client.getKubernetesSerialization()), InstantSource.system(), System::nanoTime);
		this.caches.declareSharded(ResourceType.of(ConfigMap.class));
		this.cache = this.caches.of(ConfigMap.class);
		this.history = new ScopeHistory(client, namespace, Map.of(ShardingLabels.shard("ring"), "me"));
		this.caches.start();
		assertThat(this.caches.synced()).succeedsWithin(Duration.ofSeconds(60));
	}

	@AfterEach
	void close() {
		this.caches.close();
		this.history.close();
	}

	@Test
	void everyReadIsLinearizable() throws Exception {
		AtomicBoolean writing = new AtomicBoolean(true);
		AtomicInteger reads = new AtomicInteger();
		ExecutorService threads = Executors.newFixedThreadPool(READERS + WRITERS);
		try {
			List<Future<?>> writers = new ArrayList<>();
			for (int i = 0; i < WRITERS; i++) {
				int writer = i;
				writers.add(threads.submit(() -> write(writer, writing)));
			}
			List<Future<?>> readers = new ArrayList<>();
			for (int i = 0; i < READERS; i++) {
				int reader = i;
				readers.add(threads.submit(() -> read(reader, reads)));
			}
			for (Future<?> reader : readers) {
				reader.get();
			}
			writing.set(false);
			for (Future<?> writer : writers) {
				writer.get();
			}
		}
		finally {
			threads.shutdownNow();
		}
		this.history.complete();
		ScopeHistory.Verdict consistent = this.history.judge("consistent");
		ScopeHistory.Verdict plain = this.history.judge("plain");
		System.out.printf("%d consistent reads: %d violations; %d plain reads: %d violations; %d changes%n",
				consistent.reads(), consistent.violations().size(), plain.reads(), plain.violations().size(),
				this.history.changes());
		assertThat(consistent.reads()).isGreaterThanOrEqualTo(READS);
		assertThat(consistent.violations()).isEmpty();
		assertThat(plain.violations()).as("violations of a plain cache").isNotEmpty();
	}

	@Test
	void readsOfAVersionShowIt() {
		for (int i = 0; i < 50; i++) {
			String version = create("at-least-" + i, i, true).getMetadata().getResourceVersion();
			assertThat(this.cache.get(new ObjectKey(this.namespace, "at-least-" + i), Freshness.atLeast(version)))
				.isPresent();
			assertThat(names(Freshness.atLeast(version))).contains("at-least-" + i);
		}
	}

	@Test
	void getShowsOnlyWhatIsInScopeAndNothingOlderLater() {
		ObjectKey key = new ObjectKey(this.namespace, "seen");
		create("seen", 1, true);
		assertThat(this.cache.get(key, Freshness.CONSISTENT)).isPresent();
		assertThat(this.cache.get(key, Freshness.READ_YOUR_WRITES)).isPresent();
		relabel("seen", false);
		assertThat(this.cache.get(key, Freshness.CONSISTENT)).isEmpty();
		assertThat(this.cache.get(key, Freshness.READ_YOUR_WRITES)).isEmpty();
		relabel("seen", true);
		assertThat(this.cache.get(key, Freshness.CONSISTENT)).isPresent();
		this.client.configMaps().inNamespace(this.namespace).withName("seen").delete();
		assertThat(this.cache.get(key, Freshness.CONSISTENT)).isEmpty();
		assertThat(this.cache.get(key, Freshness.ANY)).isEmpty();
	}

	@Test
	void serverThatDoesNotAnswerIsATypedErrorAndNothingStale(ControlPlane controlPlane) {
		create("hidden", 1, true);
		controlPlane.etcd().process().pause();
		try {
			Freshness soon = Freshness.CONSISTENT.within(Duration.ofMillis(500));
			assertThatExceptionOfType(ConsistentReadException.class)
				.isThrownBy(() -> this.cache.list(ListOptions.all().freshness(soon)))
				.withMessageContaining("no consistent state within 500 ms")
				.satisfies((ex) -> assertThat(ex.retryAfter()).isPositive());
			assertThatExceptionOfType(ConsistentReadException.class)
				.isThrownBy(() -> this.cache.get(new ObjectKey(this.namespace, "hidden"), soon));
		}
		finally {
			controlPlane.etcd().process().resume();
		}
		Freshness patient = Freshness.CONSISTENT.within(Duration.ofMinutes(1));
		assertThat(names(patient)).contains("hidden");
	}

	@Test
	void interruptEndsTheWait() {
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(ConsistentReadException.class)
			.isThrownBy(() -> this.cache.list(ListOptions.all().freshness(Freshness.CONSISTENT)))
			.withMessageContaining("interrupted");
		assertThat(Thread.interrupted()).isTrue();
	}

	private List<String> names(Freshness freshness) {
		return this.cache.list(ListOptions.all().freshness(freshness))
			.stream()
			.map((object) -> object.getMetadata().getName())
			.toList();
	}

	private void read(int reader, AtomicInteger reads) {
		Random random = new Random(reader);
		while (reads.getAndIncrement() < READS) {
			this.history.read("consistent", () -> this.cache.list(ListOptions.all().freshness(Freshness.CONSISTENT)));
			if (random.nextInt(2) == 0) {
				this.history.read("plain", () -> this.cache.list(ListOptions.all().freshness(Freshness.ANY)));
			}
		}
	}

	/* Creates, updates, relabels out of and into the scope, deletes and creates anew. */
	private Void write(int writer, AtomicBoolean writing) {
		Random random = new Random(100 + writer);
		for (int value = 0; writing.get(); value++) {
			String name = "w%d-%d".formatted(writer, random.nextInt(4));
			int unique = value * WRITERS + writer;
			switch (random.nextInt(5)) {
				case 0 -> this.history.wrote(() -> create(name, unique, true));
				case 1, 2 -> this.history.wrote(() -> update(name, unique));
				case 3 -> this.history.wrote(() -> relabel(name, random.nextBoolean()));
				default -> attempt(() -> this.client.configMaps().inNamespace(this.namespace).withName(name).delete());
			}
		}
		return null;
	}

	private ConfigMap create(String name, int value, boolean ours) {
		return attempt(() -> this.client
			.resource(new ConfigMapBuilder().withNewMetadata()
				.withNamespace(this.namespace)
				.withName(name)
				.addToLabels(ShardingLabels.shard("ring"), ours ? "me" : "other")
				.endMetadata()
				.addToData("n", Integer.toString(value))
				.build())
			.create()).orElse(null);
	}

	private ConfigMap update(String name, int value) {
		return attempt(() -> this.client.configMaps().inNamespace(this.namespace).withName(name).edit((map) -> {
			map.getData().put("n", Integer.toString(value));
			return map;
		})).orElse(null);
	}

	private ConfigMap relabel(String name, boolean ours) {
		return attempt(() -> this.client.configMaps().inNamespace(this.namespace).withName(name).edit((map) -> {
			map.getMetadata().getLabels().put(ShardingLabels.shard("ring"), ours ? "me" : "other");
			return map;
		})).orElse(null);
	}

	/* Conflicts and absent objects are part of the game. */
	private static <R> Optional<R> attempt(Callable<R> write) {
		try {
			return Optional.ofNullable(write.call());
		}
		catch (KubernetesClientException ex) {
			return Optional.empty();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

}
