package dev.sharding.internal.kubernetes.informer.store;

import java.time.Duration;
import java.util.Map;
import java.util.Set;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.sharding.client.ApiException;
import dev.sharding.internal.kubernetes.informer.wire.ObjectDecoder;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.ApiStream;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.resource.ResourceType;
import dev.sharding.test.AnswerProxy;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@ControlPlaneTest
class WatchReaderIT {

	/** Else a slip on the other side stops an informer for years. */
	@ParameterizedTest
	@CsvSource({ "7, PT7S", "300, PT5M", "2000000000, PT5M", "-1," })
	void anErrorAsksForPatienceWithinReason(int seconds, @Nullable Duration expected, ControlPlane cluster)
			throws Exception {
		String line = """
				{"type":"ERROR","object":{"kind":"Status","code":429,"reason":"TooManyRequests","message":"later",\
				"details":{"retryAfterSeconds":%d}}}
				""".formatted(seconds);
		try (AnswerProxy proxy = AnswerProxy.before(cluster.admin(),
				(request) -> new AnswerProxy.Answer(200, Map.of(), line));
				KubernetesClient client = new KubernetesClientBuilder().withConfig(proxy.config()).build();
				ApiStream stream = new ApiRequests(client)
					.open(ApiRequest.of("GET", "/api/v1/configmaps").query("watch", "1"))
					.get()) {
			ResourceType<ConfigMap> type = ResourceType.of(ConfigMap.class);
			WatchReader<ConfigMap> reader = new WatchReader<>("test", client.getKubernetesSerialization(),
					new ObjectDecoder<>(client.getKubernetesSerialization(), type, false),
					new Store<ConfigMap>(Set.of(), Map.of(), (event) -> {
					}).parts().get(0));
			assertThatExceptionOfType(ApiException.class).isThrownBy(() -> reader.store(stream, Duration.ofSeconds(30)))
				.satisfies((ex) -> assertThat(ex.status()).isEqualTo(429))
				.satisfies((ex) -> assertThat(ex.retryAfter()).isEqualTo(expected));
		}
	}

}
