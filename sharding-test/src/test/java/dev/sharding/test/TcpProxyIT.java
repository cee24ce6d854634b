package dev.sharding.test;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@ControlPlaneTest
class TcpProxyIT {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	@Test
	void writeTakesEffectAlthoughItsResponseIsHeldBack(ControlPlane controlPlane) throws Exception {
		try (TcpProxy proxy = TcpProxy.to(controlPlane.apiServer())) {
			KubernetesClient far = controlPlane.admin().through(proxy).client();
			// Opens the connection and finishes its handshake, which needs responses.
			far.namespaces().withName("default").get();
			proxy.pauseResponses();
			CompletableFuture<ConfigMap> response = CompletableFuture
				.supplyAsync(() -> far.resource(ConfigMaps.named("unanswered")).create());
			await().atMost(PATIENCE)
				.until(() -> controlPlane.client()
					.configMaps()
					.inNamespace("default")
					.withName("unanswered")
					.get() != null);
			assertThat(response).isNotDone();
			proxy.heal();
			assertThat(response.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).getMetadata().getUid()).isNotEmpty();
		}
	}

	@Test
	void clientReconnectsAfterCut(ControlPlane controlPlane) {
		try (TcpProxy proxy = TcpProxy.to(controlPlane.apiServer())) {
			KubernetesClient far = controlPlane.admin().through(proxy).client();
			far.namespaces().withName("default").get();
			assertThat(proxy.connections()).isPositive();
			proxy.cut();
			assertThat(far.namespaces().withName("default").get()).isNotNull();
		}
	}

}
