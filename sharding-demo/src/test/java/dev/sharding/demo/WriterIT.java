package dev.sharding.demo;

import java.util.Map;
import java.util.concurrent.TimeUnit;

import dev.sharding.test.ControlPlane;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Resource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class WriterIT {

	/** Of six, the one that comes and goes. */
	private static final String NAME = Names.secret(5);

	@Test
	void leavesToTheShardsWhatADeletedSecretControlledAndWaitsUntilThatIsGone() throws Exception {
		try (ControlPlane controlPlane = ControlPlane.start();
				Writer writer = new Writer(controlPlane.user("writer", Permissions.writer()).client(), 6,
						(name) -> "default", true)) {
			KubernetesClient admin = controlPlane.client();
			writer.create();
			Resource<Secret> secret = admin.secrets().inNamespace("default").withName(NAME);
			String uid = secret.get().getMetadata().getUid();
			Resource<ConfigMap> child = admin.resource(new ConfigMapBuilder().withNewMetadata()
				.withName("checksums-" + NAME)
				.withNamespace("default")
				.withLabels(Map.of("secret", NAME))
				.endMetadata()
				.build());
			child.create();
			writer.startUpdates();
			Awaitility.await().atMost(30, TimeUnit.SECONDS).until(() -> secret.get() == null);
			// It looks again every two seconds.
			Awaitility.await()
				.atMost(90, TimeUnit.SECONDS)
				.during(5, TimeUnit.SECONDS)
				.until(() -> secret.get() == null && child.get() != null);
			assertThat(writer.gone()).containsExactly(NAME);
			child.delete();
			Awaitility.await().atMost(30, TimeUnit.SECONDS).until(() -> secret.get() != null);
			assertThat(secret.get().getMetadata().getUid()).isNotEqualTo(uid);
		}
	}

}
