package dev.sharding.test;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** What can happen to the store. */
class StoreIT {

	@TempDir
	Path folder;

	@Test
	void isItsCopyAgainAtARevisionThatNobodyHasSeen() {
		try (ControlPlane controlPlane = ControlPlane.start()) {
			KubernetesClient client = controlPlane.client();
			write(client, "kept", "1");
			controlPlane.etcd().copyTo(this.folder.resolve("copy"));
			write(client, "kept", "2");
			write(client, "lost", "1");
			String seen = client.configMaps()
				.inNamespace("default")
				.withName("lost")
				.get()
				.getMetadata()
				.getResourceVersion();
			controlPlane.apiServer().process().stop();
			long restored = controlPlane.etcd().restore(this.folder.resolve("copy"));
			controlPlane.apiServer().process().start();
			assertThat(restored).isLessThan(Long.parseLong(seen));
			assertThat(client.configMaps().inNamespace("default").withName("lost").get()).isNull();
			assertThat(client.configMaps().inNamespace("default").withName("kept").get().getData())
				.isEqualTo(Map.of("value", "1"));
			write(client, "new", "1");
			assertThat(Long.parseLong(client.configMaps()
				.inNamespace("default")
				.withName("new")
				.get()
				.getMetadata()
				.getResourceVersion())).isGreaterThan(Long.parseLong(seen));
		}
	}

	@Test
	void refusesWritesWhileItIsFull() {
		try (ControlPlane controlPlane = ControlPlane.start()) {
			KubernetesClient client = controlPlane.client();
			write(client, "kept", "1");
			controlPlane.etcd().full(true);
			assertThatExceptionOfType(KubernetesClientException.class).isThrownBy(() -> write(client, "kept", "2"))
				.withMessageContaining("space");
			assertThat(client.configMaps().inNamespace("default").withName("kept").get().getData())
				.isEqualTo(Map.of("value", "1"));
			controlPlane.etcd().full(false);
			Awaitility.await().atMost(Duration.ofMinutes(1)).ignoreExceptions().until(() -> {
				write(client, "kept", "3");
				return true;
			});
		}
	}

	private static void write(KubernetesClient client, String name, String value) {
		client
			.resource(new ConfigMapBuilder().withNewMetadata()
				.withNamespace("default")
				.withName(name)
				.endMetadata()
				.withData(Map.of("value", value))
				.build())
			.createOr((existing) -> existing.update());
	}

}
