package dev.sharding.kubernetes.cache;

import java.time.Duration;

import io.fabric8.kubernetes.api.model.ConfigMap;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import dev.sharding.kubernetes.cache.HttpAnswers.Answer;
import dev.sharding.kubernetes.informer.Informer;
import dev.sharding.kubernetes.informer.InformerSpec;
import dev.sharding.kubernetes.informer.InformerStatus;
import dev.sharding.kubernetes.resource.ResourceType;

import static org.assertj.core.api.Assertions.assertThat;

/** What an informer tells of failures that nobody thought of. */
class SurprisedInformerTests {

	@Test
	void tellsThatItFailsWhenAProxyAnswersInsteadOfTheApiServer() {
		Answer noStreamedLists = new Answer(400, null, "{}");
		try (HttpAnswers server = new HttpAnswers(noStreamedLists, HttpAnswers.ok("<html>Welcome</html>"));
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
