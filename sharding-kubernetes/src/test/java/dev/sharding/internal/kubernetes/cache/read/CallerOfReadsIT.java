package dev.sharding.internal.kubernetes.cache.read;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

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

	private static <R> CompletableFuture<R> greedily(Supplier<CompletableFuture<R>> read) {
		try (MDC.MDCCloseable ignored = MDC.putCloseable("controller", "greedy")) {
			return read.get();
		}
	}

	private ResourceReader<ConfigMap> reader(SpoiledAnswers server) {
		KubernetesClient client = ThrottledClient.of(server.client, (request) -> {
			this.controllers.add(String.valueOf(MDC.get("controller")));
			this.threads.add(Thread.currentThread().getName());
			return null;
		});
		return new ResourceReader<>(TYPE, new ApiRequests(client), client.getKubernetesSerialization());
	}

}
