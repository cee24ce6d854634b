package dev.sharding.internal.kubernetes.informer;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import dev.sharding.resource.ResourceType;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Five thousand Secrets of a kilobyte. Notes what they cost; asserts only what is right.
 */
@ControlPlaneTest
class ManyObjectsIT {

	private static final Logger logger = LoggerFactory.getLogger(ManyObjectsIT.class);

	private static final int OBJECTS = 5000;

	@Test
	void followsThousandsOfObjects(KubernetesClient client, @TestNamespace String namespace) throws Exception {
		create(client, namespace);
		measure(client, namespace, ResourceType.of(Secret.class), "whole");
		measure(client, namespace, ResourceType.of(Secret.class).metadata(), "metadata");
	}

	private static <T extends HasMetadata> void measure(KubernetesClient client, String namespace, ResourceType<T> type,
			String what) {
		long start = System.nanoTime();
		try (Informer<T> informer = new Informer<>(client, InformerSpec.of(type).inNamespaces(Set.of(namespace)))) {
			int[] events = new int[1];
			informer.addHandler((event) -> events[0]++);
			informer.start();
			informer.synced().orTimeout(120, TimeUnit.SECONDS).join();
			long synced = System.nanoTime();
			assertThat(informer.store().size()).isEqualTo(OBJECTS);
			assertThat(events[0]).isGreaterThanOrEqualTo(OBJECTS);
			informer.refresh().orTimeout(120, TimeUnit.SECONDS).join();
			long refreshed = System.nanoTime();
			logger.info("Followed objects: objects={} read={} syncMillis={} refreshMillis={}", OBJECTS, what,
					Duration.ofNanos(synced - start).toMillis(), Duration.ofNanos(refreshed - synced).toMillis());
			client.secrets().inNamespace(namespace).withName("secret-0").edit((secret) -> {
				secret.getMetadata().setAnnotations(Map.of("touched", Long.toString(start)));
				return secret;
			});
			await().atMost(Duration.ofSeconds(60))
				.until(() -> informer.store()
					.list()
					.stream()
					.anyMatch((object) -> object.getMetadata().getAnnotations() != null
							&& Long.toString(start).equals(object.getMetadata().getAnnotations().get("touched"))));
		}
	}

	private static void create(KubernetesClient client, String namespace) throws InterruptedException {
		String kilobyte = "x".repeat(700);
		ExecutorService pool = Executors.newFixedThreadPool(16);
		for (int i = 0; i < OBJECTS; i++) {
			String name = "secret-" + i;
			pool.execute(() -> client
				.resource(new SecretBuilder().withNewMetadata()
					.withNamespace(namespace)
					.withName(name)
					.addToLabels("app", "many")
					.endMetadata()
					.withStringData(Map.of("key", kilobyte))
					.build())
				.create());
		}
		pool.shutdown();
		assertThat(pool.awaitTermination(5, TimeUnit.MINUTES)).isTrue();
	}

}
