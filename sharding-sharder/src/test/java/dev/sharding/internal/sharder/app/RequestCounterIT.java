package dev.sharding.internal.sharder.app;

import dev.sharding.test.ControlPlaneTest;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

@ControlPlaneTest
class RequestCounterIT {

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	@Test
	void countsByMethodAndAnswer(KubernetesClient cluster) {
		try (KubernetesClient client = counted(cluster.getConfiguration())) {
			client.namespaces().withName("default").get();
			client.namespaces().withName("absent").get();
			client.namespaces().withName("absent").get();
		}
		assertThat(count("200")).isEqualTo(1);
		assertThat(count("404")).isEqualTo(2);
	}

	private KubernetesClient counted(Config config) {
		return new KubernetesClientBuilder().withConfig(config)
			.withHttpClientBuilderConsumer(
					(http) -> http.addOrReplaceInterceptor("counter", new RequestCounter(this.meters)))
			.build();
	}

	private double count(String code) {
		return this.meters.get("rest.client.requests").tags("method", "GET", "code", code).counter().count();
	}

}
