package dev.sharding.test;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Iterator;
import java.util.Map;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@ControlPlaneTest
class AnswerProxyIT {

	@AfterEach
	void close(KubernetesClient client, @TestNamespace String namespace) {
		client.configMaps().inNamespace(namespace).delete();
	}

	@Test
	void passesRequestsAndStreams(ControlPlane controlPlane, @TestNamespace String namespace) throws Exception {
		try (AnswerProxy proxy = AnswerProxy.before(controlPlane.admin(), (request) -> null);
				KubernetesClient client = new KubernetesClientBuilder().withConfig(proxy.config()).build()) {
			ConfigMap created = client.resource(configMap(namespace, "passed")).create();
			assertThat(controlPlane.client().resource(created).get()).isEqualTo(created);
			URI watch = URI.create(proxy.config().getMasterUrl())
				.resolve("/api/v1/namespaces/" + namespace + "/configmaps?watch=1&timeoutSeconds=60");
			Iterator<String> events = HttpClient.newHttpClient()
				.send(HttpRequest.newBuilder(watch).build(), BodyHandlers.ofLines())
				.body()
				.iterator();
			assertThat(events.next()).contains("\"passed\"");
			controlPlane.client().resource(configMap(namespace, "streamed")).create();
			assertThat(events.next()).contains("\"streamed\"");
			assertThat(client.configMaps().inNamespace(namespace).withName("absent").get()).isNull();
		}
	}

	@Test
	void answersSomethingElseToWhatTookEffect(ControlPlane controlPlane, @TestNamespace String namespace) {
		try (AnswerProxy proxy = AnswerProxy.before(controlPlane.admin(),
				(request) -> request.method().equals("POST") ? new AnswerProxy.Answer(418, Map.of(), "no") : null);
				KubernetesClient client = new KubernetesClientBuilder().withConfig(proxy.config()).build()) {
			assertThatExceptionOfType(KubernetesClientException.class)
				.isThrownBy(() -> client.resource(configMap(namespace, "spoiled")).create())
				.satisfies((ex) -> assertThat(ex.getCode()).isEqualTo(418));
			assertThat(client.configMaps().inNamespace(namespace).withName("spoiled").get()).isNotNull();
			assertThat(proxy.requests()).extracting(AnswerProxy.Request::method).containsExactly("POST", "GET");
		}
	}

	private static ConfigMap configMap(String namespace, String name) {
		return new ConfigMapBuilder().withNewMetadata().withNamespace(namespace).withName(name).endMetadata().build();
	}

}
