package dev.sharding.test.spring;

import java.time.Duration;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

import dev.sharding.shard.RuntimePhase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Somebody deploys roles that he has written himself, and has forgotten what the
 * controller owns.
 */
@ShardingTest(main = Secret.class, controlled = ConfigMap.class, classes = CopyApplication.class,
		roles = "/roles/own.yaml", ringRoles = false)
class OwnRolesIT {

	@Autowired
	private KubernetesClient application;

	@Test
	void aRightThatIsMissingThereIsMissingInTheTest(TestRing ring) {
		Awaitility.await()
			.atMost(Duration.ofSeconds(60))
			.untilAsserted(
					() -> assertThat(this.application.secrets().inNamespace(ring.name()).list().getItems()).isEmpty());
		assertThatExceptionOfType(KubernetesClientException.class)
			.isThrownBy(() -> this.application.configMaps().inNamespace(ring.name()).list())
			.satisfies((failure) -> assertThat(failure.getCode()).isEqualTo(403));
		Awaitility.await()
			.pollDelay(Duration.ofSeconds(3))
			.atMost(Duration.ofSeconds(60))
			.untilAsserted(() -> assertThat(ring.shard()).isIn(RuntimePhase.SYNCING));
	}

	@Test
	void aRoleOfASharderInTheApplicationHoldsInItsNamespace() {
		assertThat(this.application.configMaps().inNamespace("sharding-system").list().getItems()).isNotNull();
		assertThatExceptionOfType(KubernetesClientException.class)
			.isThrownBy(() -> this.application.configMaps().inNamespace("default").list())
			.satisfies((failure) -> assertThat(failure.getCode()).isEqualTo(403));
	}

}
