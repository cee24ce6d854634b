package dev.sharding.internal.kubernetes.cache.read;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

import dev.sharding.cache.Freshness;
import dev.sharding.cache.ListOptions;
import dev.sharding.cache.ResourceCache;
import dev.sharding.internal.kubernetes.cache.InformerCaches;
import dev.sharding.internal.kubernetes.cache.check.ReadOptions;
import dev.sharding.internal.kubernetes.cache.overlay.CacheScope;
import dev.sharding.internal.kubernetes.cache.overlay.SpoiledAnswers;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.ThrottledClient;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;

import static org.assertj.core.api.Assertions.assertThat;

/** On whose behalf the requests of one read are. */
@ControlPlaneTest
class CallerOfReadsIT {

	private static final ResourceType<ConfigMap> TYPE = ResourceType.of(ConfigMap.class);

	private final List<String> controllers = new CopyOnWriteArrayList<>();

	private final List<String> threads = new CopyOnWriteArrayList<>();

	private final ControlPlane cluster;

	private final String namespace;

	CallerOfReadsIT(ControlPlane cluster, @TestNamespace String namespace) {
		this.cluster = cluster;
		this.namespace = namespace;
	}

	@Test
	void eachTryIsThatOfTheControllerThatReads() {
		this.cluster.client()
			.resource(new ConfigMapBuilder().withNewMetadata()
				.withNamespace(this.namespace)
				.withName("a")
				.endMetadata()
				.build())
			.create();
		try (SpoiledAnswers server = new SpoiledAnswers(this.cluster, SpoiledAnswers.refusal(503, 0),
				SpoiledAnswers.refusal(429, 0), SpoiledAnswers.TRUE)) {
			assertThat(greedily(() -> reader(server).get(new ObjectKey(this.namespace, "a"), Duration.ofSeconds(30))))
				.succeedsWithin(1, TimeUnit.MINUTES);
			assertThat(this.controllers).containsExactly("greedy", "greedy", "greedy");
			assertThat(this.threads.get(1)).isNotEqualTo(this.threads.get(0));
		}
	}

	@Test
	void eachTryOfAPageIsThatOfTheControllerThatReads() {
		try (SpoiledAnswers server = new SpoiledAnswers(this.cluster, SpoiledAnswers.refusal(503, 0),
				SpoiledAnswers.TRUE)) {
			ResourceReader<ConfigMap> reader = reader(server);
			assertThat(greedily(() -> reader.page(reader.listing(this.namespace, null), Duration.ofSeconds(30))))
				.succeedsWithin(1, TimeUnit.MINUTES);
			assertThat(this.controllers).containsExactly("greedy", "greedy");
		}
	}

	@Test
	void theListsOfAConsistentReadAreThoseOfTheControllerThatReads() {
		KubernetesClient admin = this.cluster.client();
		ApiRequests asked = new ApiRequests(noting(admin));
		try (InformerCaches caches = new InformerCaches(admin, asked,
				new CacheScope(Set.of(this.namespace), "", "", "cache-test", false),
				new ObjectCopier(admin.getKubernetesSerialization()), InstantSource.system(), System::nanoTime,
				// The detector asks for itself.
				ReadOptions.DEFAULTS.withCheckPeriod(Duration.ZERO), new SimpleMeterRegistry())) {
			ResourceCache<ConfigMap> cache = caches.of(TYPE);
			caches.start();
			assertThat(caches.synced()).succeedsWithin(1, TimeUnit.MINUTES);
			this.controllers.clear();
			this.threads.clear();
			AtomicInteger written = new AtomicInteger();
			// What is written elsewhere is nothing that the watch tells.
			Awaitility.await().atMost(1, TimeUnit.MINUTES).until(() -> {
				admin
					.resource(new SecretBuilder().withNewMetadata()
						.withNamespace(this.namespace)
						.withName("unrelated-" + written.incrementAndGet())
						.endMetadata()
						.build())
					.create();
				try (MDC.MDCCloseable ignored = MDC.putCloseable("controller", "greedy")) {
					cache.list(ListOptions.all().freshness(Freshness.CONSISTENT));
				}
				return this.threads.stream().anyMatch((thread) -> thread.startsWith("sharding-protocol"));
			});
			assertThat(this.controllers).containsOnly("greedy");
		}
	}

	private static <R> CompletableFuture<R> greedily(Supplier<CompletableFuture<R>> read) {
		try (MDC.MDCCloseable ignored = MDC.putCloseable("controller", "greedy")) {
			return read.get();
		}
	}

	private ResourceReader<ConfigMap> reader(SpoiledAnswers server) {
		KubernetesClient client = noting(server.client);
		return new ResourceReader<>(TYPE, new ApiRequests(client), client.getKubernetesSerialization());
	}

	private KubernetesClient noting(KubernetesClient client) {
		return ThrottledClient.of(client, (request) -> {
			this.controllers.add(String.valueOf(MDC.get("controller")));
			this.threads.add(Thread.currentThread().getName());
			return null;
		});
	}

}
