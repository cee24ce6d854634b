package dev.sharding.internal.kubernetes.cache;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import dev.sharding.cache.ConsistentReadException;
import dev.sharding.cache.Freshness;
import dev.sharding.cache.ListOptions;
import dev.sharding.cache.ResourceCache;
import dev.sharding.internal.kubernetes.cache.check.ReadOptions;
import dev.sharding.internal.kubernetes.cache.check.ReadStrategy;
import dev.sharding.internal.kubernetes.cache.overlay.CacheScope;
import dev.sharding.internal.kubernetes.cache.read.ObjectCopier;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneExtension;
import dev.sharding.test.TestNamespace;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * etcd goes back to a backup while the cache is ahead of it. The watch would notice after
 * minutes: it is opened at a version that is yet to come.
 */
class RestoredEtcdIT {

	@RegisterExtension
	static final ControlPlaneExtension controlPlane = ControlPlaneExtension.own((builder) -> {
	});

	private final ControlPlane cluster;

	private final KubernetesClient client;

	private final String namespace;

	RestoredEtcdIT(ControlPlane cluster, KubernetesClient client, @TestNamespace String namespace) {
		this.cluster = cluster;
		this.client = client;
		this.namespace = namespace;
	}

	@AfterEach
	void clear() {
		this.client.configMaps().inNamespace(this.namespace).delete();
	}

	@ParameterizedTest
	@EnumSource(names = { "VALIDATED", "BARRIER" })
	void consistentReadsDoNotShowWhatIsNoMore(ReadStrategy strategy, @TempDir Path backup) throws IOException {
		create("kept");
		Path data = this.cluster.logs().resolve("etcd");
		whileStopped(() -> copy(data, backup.resolve("etcd")));
		try (InformerCaches caches = caches(ReadOptions.DEFAULTS.withStrategy("configmaps", strategy))) {
			ResourceCache<ConfigMap> cache = caches.of(ConfigMap.class);
			caches.start();
			assertThat(caches.synced()).succeedsWithin(Duration.ofSeconds(60));
			for (int i = 0; i < 20; i++) {
				create("lost-" + i);
			}
			this.client.configMaps().inNamespace(this.namespace).withName("kept").delete();
			assertThat(names(cache, Duration.ofMinutes(1))).hasSize(20).doesNotContain("kept");
			restore(backup, data);
			// The first one that is answered, and each later one.
			Awaitility.await().atMost(Duration.ofSeconds(60)).ignoreExceptionsMatching((failure) -> {
				assertThat(failure).isInstanceOf(ConsistentReadException.class);
				return true;
			}).until(() -> {
				List<String> names = names(cache, Duration.ofSeconds(5));
				assertThat(names).containsExactly("kept");
				return true;
			});
			create("new");
			assertThat(names(cache, Duration.ofMinutes(1))).containsExactlyInAnyOrder("kept", "new");
		}
	}

	/* Soon other writes may have made up for what was lost, and nothing would tell. */
	@Test
	void theCacheIsBroughtUpToDateThoughNobodyReadsConsistently(@TempDir Path backup) throws IOException {
		create("kept");
		Path data = this.cluster.logs().resolve("etcd");
		whileStopped(() -> copy(data, backup.resolve("etcd")));
		try (InformerCaches caches = caches(ReadOptions.DEFAULTS)) {
			ResourceCache<ConfigMap> cache = caches.of(ConfigMap.class);
			caches.start();
			assertThat(caches.synced()).succeedsWithin(Duration.ofSeconds(60));
			for (int i = 0; i < 100; i++) {
				create("lost-" + i);
			}
			this.client.configMaps()
				.inNamespace(this.namespace)
				.withName("kept")
				.edit((kept) -> new ConfigMapBuilder(kept).addToData("since", "the backup").build());
			Awaitility.await()
				.atMost(Duration.ofSeconds(60))
				.untilAsserted(() -> assertThat(data(cache)).hasSize(101)
					.containsEntry("kept", Map.of("since", "the backup")));
			restore(backup, data);
			Awaitility.await()
				.atMost(Duration.ofSeconds(60))
				.untilAsserted(() -> assertThat(data(cache)).isEqualTo(Map.of("kept", Map.of())));
		}
	}

	private InformerCaches caches(ReadOptions options) {
		return new InformerCaches(this.client, new ApiRequests(this.client),
				new CacheScope(Set.of(this.namespace), "", "", "cache-test", false),
				new ObjectCopier(this.client.getKubernetesSerialization()), InstantSource.system(), System::nanoTime,
				options, new SimpleMeterRegistry());
	}

	private static Map<String, Map<String, String>> data(ResourceCache<ConfigMap> cache) {
		return cache.list()
			.stream()
			.collect(Collectors.toMap((object) -> object.getMetadata().getName(),
					(object) -> Objects.requireNonNullElse(object.getData(), Map.of())));
	}

	/* The marker of a barrier is an object as well. */
	private static List<String> names(ResourceCache<ConfigMap> cache, Duration deadline) {
		return cache.list(ListOptions.all().freshness(Freshness.CONSISTENT.within(deadline)))
			.stream()
			.map((object) -> object.getMetadata().getName())
			.filter((name) -> !name.startsWith("sharding-barrier"))
			.toList();
	}

	private void create(String name) {
		this.client
			.resource(new ConfigMapBuilder().withNewMetadata()
				.withNamespace(this.namespace)
				.withName(name)
				.endMetadata()
				.build())
			.create();
	}

	private void whileStopped(Change change) throws IOException {
		// Asked to stop, it would wait for those who watch.
		this.cluster.apiServer().process().kill();
		this.cluster.etcd().process().stop();
		change.make();
		this.cluster.etcd().process().start();
		this.cluster.apiServer().process().start();
	}

	private void restore(Path backup, Path data) throws IOException {
		whileStopped(() -> {
			delete(data);
			copy(backup.resolve("etcd"), data);
		});
	}

	private static void copy(Path from, Path to) throws IOException {
		try (Stream<Path> files = Files.walk(from)) {
			for (Path file : (Iterable<Path>) files::iterator) {
				Files.copy(file, to.resolve(from.relativize(file).toString()));
			}
		}
	}

	private static void delete(Path folder) throws IOException {
		try (Stream<Path> files = Files.walk(folder).sorted(Comparator.reverseOrder())) {
			for (Path file : (Iterable<Path>) files::iterator) {
				Files.delete(file);
			}
		}
	}

	private interface Change {

		void make() throws IOException;

	}

}
