package dev.sharding.internal.kubernetes.cache;

import java.time.Duration;

import io.fabric8.kubernetes.api.model.ConfigMap;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import dev.sharding.internal.kubernetes.cache.overlay.SpoiledAnswers;
import dev.sharding.internal.kubernetes.informer.Informer;
import dev.sharding.internal.kubernetes.informer.InformerSpec;
import dev.sharding.internal.kubernetes.informer.InformerStatus;
import dev.sharding.resource.ResourceType;
import dev.sharding.test.AnswerProxy.Answer;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;

import static org.assertj.core.api.Assertions.assertThat;

/** What an informer tells of failures that nobody thought of. */
@ControlPlaneTest
class SurprisedInformerIT {

	private final ControlPlane cluster;

	SurprisedInformerIT(ControlPlane cluster) {
		this.cluster = cluster;
	}

	@Test
	void tellsThatItFailsWhenAProxyAnswersInsteadOfTheApiServer() {
		Answer noStreamedLists = SpoiledAnswers.status(400, "{}");
		try (SpoiledAnswers server = new SpoiledAnswers(this.cluster, noStreamedLists,
				SpoiledAnswers.ok("<html>Welcome</html>"));
				Informer<ConfigMap> informer = new Informer<>(server.client,
						InformerSpec.of(ResourceType.of(ConfigMap.class)))) {
			informer.start();
			Awaitility.await()
				.atMost(Duration.ofSeconds(30))
				.pollInterval(Duration.ofMillis(20))
				.until(() -> informer.status().failingSince() != null);
			InformerStatus status = informer.status();
			assertThat(status.lastError()).isNotBlank();
			assertThat(status.refused()).isFalse();
			assertThat(status.synced()).isFalse();
		}
	}

}
