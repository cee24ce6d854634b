package dev.sharding.internal.kubernetes.informer;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import dev.sharding.resource.ResourceType;
import dev.sharding.test.ControlPlaneExtension;
import dev.sharding.test.TestNamespace;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.PartialObjectMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * An API server that refuses to stream lists.
 */
class PagedListIT {

	@RegisterExtension
	static final ControlPlaneExtension controlPlane = ControlPlaneExtension
		.own((builder) -> builder.featureGate("WatchList", false));

	@Test
	void listsByPages(KubernetesClient client, @TestNamespace String namespace) {
		for (int i = 0; i < 1100; i++) {
			create(client, namespace, "object-" + i);
		}
		InformerSpec<ConfigMap> spec = InformerSpec.of(ResourceType.of(ConfigMap.class))
			.inNamespaces(Set.of(namespace))
			.withLabelSelector("test");
		try (Informer<ConfigMap> objects = new Informer<>(client, spec);
				Informer<PartialObjectMetadata> metadata = new Informer<>(client,
						InformerSpec.of(ResourceType.of(ConfigMap.class).metadata()).withLabelSelector("test"))) {
			Recorder<ConfigMap> recorder = new Recorder<>();
			objects.addHandler(recorder);
			objects.start();
			metadata.start();
			objects.synced().orTimeout(90, TimeUnit.SECONDS).join();
			metadata.synced().orTimeout(90, TimeUnit.SECONDS).join();
			assertThat(recorder.state()).hasSize(1100);
			assertThat(objects.store().size()).isEqualTo(1100);
			assertThat(metadata.store().size()).isEqualTo(1100);
			assertThat(objects.status().relists()).isEqualTo(1);
			create(client, namespace, "one-more");
			await().atMost(Duration.ofSeconds(60))
				.until(() -> objects.store().size() == 1101 && metadata.store().size() == 1101);
			objects.refresh().orTimeout(90, TimeUnit.SECONDS).join();
			assertThat(objects.status().relists()).isEqualTo(1);
			assertThat(objects.status().failingSince()).isNull();
		}
	}

	private static void create(KubernetesClient client, String namespace, String name) {
		client
			.resource(new ConfigMapBuilder().withNewMetadata()
				.withNamespace(namespace)
				.withName(name)
				.addToLabels("test", "yes")
				.endMetadata()
				.build())
			.create();
	}

}
