package dev.sharding.resource;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.PartialObjectMetadata;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class ResourceTypeTests {

	@Test
	void readsCoreResources() {
		ResourceType<Secret> secrets = ResourceType.of(Secret.class);
		assertThat(secrets).isEqualTo(new ResourceType<>(Secret.class, "", "v1", "secrets", "Secret", true));
		assertThat(secrets.apiVersion()).isEqualTo("v1");
		assertThat(secrets).hasToString("secrets.v1");
		assertThat(secrets.path(null, null)).isEqualTo("/api/v1/secrets");
		assertThat(secrets.path("default", null)).isEqualTo("/api/v1/namespaces/default/secrets");
		assertThat(secrets.path(new ObjectKey("default", "a"))).isEqualTo("/api/v1/namespaces/default/secrets/a");
	}

	@Test
	void readsGroupsAndClusterScope() {
		ResourceType<Deployment> deployments = ResourceType.of(Deployment.class);
		assertThat(deployments.apiVersion()).isEqualTo("apps/v1");
		assertThat(deployments.groupResource()).hasToString("deployments.apps");
		assertThat(deployments.path("a", "b")).isEqualTo("/apis/apps/v1/namespaces/a/deployments/b");
		ResourceType<Namespace> namespaces = ResourceType.of(Namespace.class);
		assertThat(namespaces.namespaced()).isFalse();
		assertThat(namespaces.path(new ObjectKey("", "default"))).isEqualTo("/api/v1/namespaces/default");
	}

	@Test
	void readsDefinitions() {
		ResourceType<GenericKubernetesResource> widgets = ResourceType
			.of(new ResourceDefinitionContext.Builder().withGroup("example.com")
				.withVersion("v1")
				.withPlural("widgets")
				.withKind("Widget")
				.withNamespaced(true)
				.build());
		assertThat(widgets.path("n", "w")).isEqualTo("/apis/example.com/v1/namespaces/n/widgets/w");
		assertThat(widgets.isMetadataOnly()).isFalse();
		assertThat(widgets.metadata().isMetadataOnly()).isTrue();
		assertThat(widgets.metadata().generic()).isEqualTo(widgets);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", ".", "..", "svc/proxy/x", "a/", "%2e%2e", "50%" })
	void refusesNamesThatWouldNameSomethingElse(String impossible) {
		ResourceType<Secret> secrets = ResourceType.of(Secret.class);
		assertThatExceptionOfType(ImpossibleNameException.class)
			.isThrownBy(() -> secrets.path(new ObjectKey("default", impossible)))
			.withMessageStartingWith(
					"No object of secrets.v1 can be called 'default/%s': its name must not be".formatted(impossible))
			.satisfies((ex) -> assertThat(ex.key()).isEqualTo(new ObjectKey("default", impossible)));
		if (!impossible.isEmpty()) {
			assertThatExceptionOfType(ImpossibleNameException.class).isThrownBy(() -> secrets.path(impossible, null))
				.withMessageContaining("its namespace must not be");
		}
	}

	@Test
	void takesNamesThatSomeResourcesAllow() {
		assertThat(ResourceType.of(ClusterRole.class).path("", "system:node x?#[ü]"))
			.isEqualTo("/apis/rbac.authorization.k8s.io/v1/clusterroles/system:node x?#[ü]");
	}

	@Test
	void refusesClassesThatNameNoResource() {
		assertThatIllegalArgumentException().isThrownBy(() -> ResourceType.of(PartialObjectMetadata.class))
			.withMessageStartingWith("PartialObjectMetadata names no resource");
	}

}
