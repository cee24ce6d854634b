package dev.sharding.test;

import java.time.Duration;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.ListOptions;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.Serialization;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

class HistoryIT {

	private static final Duration PATIENCE = Duration.ofSeconds(90);

	@RegisterExtension
	static final ControlPlaneExtension controlPlane = ControlPlaneExtension.own((builder) -> {
	});

	@Test
	void compactionAloneDoesNotFailWatch(ControlPlane controlPlane, KubernetesClient client) {
		String old = create(client, "compacted");
		create(client, "compacted-later");
		long compacted = controlPlane.etcd().compact();
		assertThat(compacted).isGreaterThanOrEqualTo(Long.parseLong(old));
		// Once more, with nothing new: no error.
		controlPlane.etcd().compact();
		// The first 410 from etcd can lag behind: the server answers from its cache while
		// it can.
		assertThat(watchFrom(client, old)).isEqualTo("compacted-later");
	}

	@Test
	void restartAloneFailsWatchButNotExactList(ControlPlane controlPlane, KubernetesClient client) {
		String old = create(client, "restarted");
		create(client, "restarted-later");
		controlPlane.apiServer().process().restart();
		assertThat(watchFrom(client, old)).isEqualTo("410");
		assertThat(client.configMaps().inNamespace("default").list(exactly(old)).getItems())
			.anyMatch((item) -> item.getMetadata().getName().equals("restarted"))
			.noneMatch((item) -> item.getMetadata().getName().equals("restarted-later"));
	}

	@Test
	void forgottenHistoryFailsWatchAndExactListWith410(ControlPlane controlPlane, KubernetesClient client) {
		String old = create(client, "forgotten");
		create(client, "forgotten-later");
		controlPlane.forgetHistory();
		assertThat(watchFrom(client, old)).isEqualTo("410");
		assertThatExceptionOfType(KubernetesClientException.class)
			.isThrownBy(() -> client.configMaps().inNamespace("default").list(exactly(old)))
			.satisfies((ex) -> assertThat(ex.getCode()).isEqualTo(410));
		await().atMost(PATIENCE)
			.untilAsserted(() -> assertThat(client.configMaps().inNamespace("default").withName("forgotten").get())
				.isNotNull());
	}

	private static ListOptions exactly(String version) {
		return new ListOptionsBuilder().withResourceVersion(version).withResourceVersionMatch("Exact").build();
	}

	private static String create(KubernetesClient client, String name) {
		return client.resource(ConfigMaps.named(name)).create().getMetadata().getResourceVersion();
	}

	/*
	 * The name of the first object that the watch delivers, or the code of the error that
	 * ends it. It is read over plain HTTP: a WebSocket that the server closes at once, as
	 * it does after an error, may leave the client waiting for ever.
	 */
	private static String watchFrom(KubernetesClient client, String version) {
		return await().atMost(PATIENCE).until(() -> first(client, version), (first) -> !first.isEmpty());
	}

	private static String first(KubernetesClient client, String version) {
		String events;
		try {
			events = client
				.raw("/api/v1/namespaces/default/configmaps?watch=true&timeoutSeconds=3&resourceVersion=" + version);
		}
		catch (KubernetesClientException ex) {
			return String.valueOf(ex.getCode());
		}
		if (events.isEmpty()) {
			return "";
		}
		JsonNode object = Serialization.unmarshal(events.lines().findFirst().orElseThrow(), JsonNode.class)
			.get("object");
		return object.has("code") ? object.get("code").asText() : object.get("metadata").get("name").asText();
	}

}
