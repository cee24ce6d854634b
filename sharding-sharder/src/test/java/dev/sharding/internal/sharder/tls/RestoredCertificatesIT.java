package dev.sharding.internal.sharder.tls;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import dev.sharding.resource.ObjectKey;
import dev.sharding.test.ControlPlane;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Certificates in a store that goes back.
 */
class RestoredCertificatesIT {

	private final AtomicReference<ServingCertificate> served = new AtomicReference<>();

	@TempDir
	Path folder;

	@Test
	@DisplayName("After etcd was restored, a replica serves with what is in the Secret, as those do that start then")
	void servesWithWhatIsInTheSecret() {
		try (ControlPlane controlPlane = ControlPlane.start()) {
			KubernetesClient client = controlPlane.client();
			Map<String, String> others = othersData(client);
			try (SecretCertificates certificates = source(client, "shared", this.served::set)) {
				certificates.start();
				await().until(() -> isServed(secret(client, "shared")));
				controlPlane.etcd().copyTo(this.folder.resolve("copy"));
				client.secrets().inNamespace("default").withName("shared").edit((secret) -> {
					secret.setData(others);
					return secret;
				});
				await().until(() -> isServed(others));
				controlPlane.apiServer().process().stop();
				controlPlane.etcd().restore(this.folder.resolve("copy"));
				controlPlane.apiServer().process().start();
				await().ignoreExceptions()
					.until(() -> !secret(client, "shared").getData().equals(others)
							&& isServed(secret(client, "shared")));
			}
		}
	}

	private static Map<String, String> othersData(KubernetesClient client) {
		AtomicReference<ServingCertificate> told = new AtomicReference<>();
		try (SecretCertificates certificates = source(client, "others", told::set)) {
			certificates.start();
			await().until(() -> told.get() != null);
			return secret(client, "others").getData();
		}
	}

	private static SecretCertificates source(KubernetesClient client, String name,
			Consumer<ServingCertificate> listener) {
		return new SecretCertificates(client, new ObjectKey("default", name), Set.of("127.0.0.1"),
				CertificateTerms.DEFAULT, InstantSource.system(), listener);
	}

	private boolean isServed(Secret secret) {
		return secret != null && isServed(secret.getData());
	}

	private boolean isServed(Map<String, String> data) {
		ServingCertificate now = this.served.get();
		return now != null && now.certificate()
			.equals(new String(Base64.getDecoder().decode(data.get("tls.crt")), StandardCharsets.UTF_8));
	}

	private static Secret secret(KubernetesClient client, String name) {
		return client.secrets().inNamespace("default").withName(name).get();
	}

	private static ConditionFactory await() {
		return Awaitility.await().atMost(Duration.ofSeconds(90)).pollInterval(Duration.ofMillis(100));
	}

}
