package dev.sharding.test;

import io.fabric8.kubernetes.api.model.rbac.PolicyRuleBuilder;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@ControlPlaneTest
class ThrottledUserIT {

	@Test
	void isRefusedForOneResourceUntilItIsClosed(ControlPlane controlPlane, @TestNamespace String namespace) {
		Access user = controlPlane.user("throttled",
				new PolicyRuleBuilder().withApiGroups("")
					.withResources("secrets", "configmaps")
					.withVerbs("*")
					.build());
		try (KubernetesClient client = new KubernetesClientBuilder()
			.withConfig(new ConfigBuilder(user.config()).withRequestRetryBackoffLimit(0).build())
			.build()) {
			try (ThrottledUser refusals = ThrottledUser.of(controlPlane, user, "", "secrets")) {
				assertThatExceptionOfType(KubernetesClientException.class)
					.isThrownBy(() -> client.secrets().inNamespace(namespace).list())
					.satisfies((ex) -> assertThat(ex.getCode()).isEqualTo(429));
				assertThat(client.configMaps().inNamespace(namespace).list().getItems()).isEmpty();
				assertThat(controlPlane.client().secrets().inNamespace(namespace).list().getItems()).isEmpty();
			}
			assertThat(client.secrets().inNamespace(namespace).list().getItems()).isEmpty();
		}
	}

}
