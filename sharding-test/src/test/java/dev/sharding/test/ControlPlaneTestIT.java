package dev.sharding.test;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

@ControlPlaneTest
class ControlPlaneTestIT {

	@Test
	void listsSecretsFromRealApiServer(KubernetesClient client, @TestNamespace String namespace) {
		assertThat(client.secrets().inNamespace(namespace).list().getItems()).isEmpty();
		Secret secret = new SecretBuilder().withNewMetadata()
			.withName("password")
			.withNamespace(namespace)
			.endMetadata()
			.withStringData(Map.of("key", "value"))
			.build();
		client.resource(secret).create();
		assertThat(client.secrets().inNamespace(namespace).list().getItems()).singleElement().satisfies((found) -> {
			assertThat(found.getMetadata().getName()).isEqualTo("password");
			assertThat(new String(Base64.getDecoder().decode(found.getData().get("key")), StandardCharsets.UTF_8))
				.isEqualTo("value");
		});
		assertThat(client.getKubernetesVersion().getGitVersion())
			.isEqualTo("v" + System.getProperty("kubernetes.version", "1.36.3"));
	}

	@Test
	void keepsNamespaceOverTestsOfClass(@TestNamespace String first, @TestNamespace String second,
			KubernetesClient client) {
		assertThat(first).isEqualTo(second).startsWith("t-control-plane-test-it-");
		assertThat(client.namespaces().withName(first).get()).isNotNull();
	}

	@Test
	void givesTheSharedControlPlane(ControlPlane controlPlane, KubernetesClient client) {
		assertThat(client).isSameAs(controlPlane.client());
		assertThat(client.getMasterUrl().toString()).startsWith(controlPlane.apiServer().url());
	}

	@Test
	void appliesDefinitionsAgainAndAgain(KubernetesClient client) {
		CustomResourceDefinitions.apply(client, "/crds/widget.yaml");
		CustomResourceDefinitions.apply(client, "/crds/widget.yaml");
		assertThat(client.genericKubernetesResources("sharding.test/v1", "Widget").inAnyNamespace().list().getItems())
			.isEmpty();
	}

}
