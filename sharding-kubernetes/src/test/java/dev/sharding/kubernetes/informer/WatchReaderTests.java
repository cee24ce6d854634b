package dev.sharding.kubernetes.informer;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Set;

import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.sharding.kubernetes.resource.ResourceType;
import dev.sharding.kubernetes.rest.ApiException;
import dev.sharding.kubernetes.rest.ApiRequest;
import dev.sharding.kubernetes.rest.ApiRequests;
import dev.sharding.kubernetes.rest.ApiStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class WatchReaderTests {

	/** Else a slip on the other side stops an informer for years. */
	@ParameterizedTest
	@CsvSource({ "7, PT7S", "300, PT5M", "2000000000, PT5M", "-1," })
	void anErrorAsksForPatienceWithinReason(int seconds, @Nullable Duration expected) throws Exception {
		String line = """
				{"type":"ERROR","object":{"kind":"Status","code":429,"reason":"TooManyRequests","message":"later",\
				"details":{"retryAfterSeconds":%d}}}
				""".formatted(seconds);
		HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		server.createContext("/", (exchange) -> {
			byte[] body = line.getBytes(StandardCharsets.UTF_8);
			exchange.sendResponseHeaders(200, body.length);
			exchange.getResponseBody().write(body);
			exchange.close();
		});
		server.start();
		try (KubernetesClient client = new KubernetesClientBuilder()
			.withConfig(new ConfigBuilder().withAutoConfigure(false)
				.withMasterUrl("http://127.0.0.1:" + server.getAddress().getPort())
				.build())
			.build(); ApiStream stream = new ApiRequests(client).open(ApiRequest.of("GET", "/watch")).get()) {
			ResourceType<ConfigMap> type = ResourceType.of(ConfigMap.class);
			WatchReader<ConfigMap> reader = new WatchReader<>("test", client.getKubernetesSerialization(),
					new ObjectDecoder<>(client.getKubernetesSerialization(), type, false),
					new Store<ConfigMap>(Set.of(), Map.of(), (event) -> {
					}).parts().get(0));
			assertThatExceptionOfType(ApiException.class).isThrownBy(() -> reader.store(stream, Duration.ofSeconds(30)))
				.satisfies((ex) -> assertThat(ex.status()).isEqualTo(429))
				.satisfies((ex) -> assertThat(ex.retryAfter()).isEqualTo(expected));
		}
		finally {
			server.stop(0);
		}
	}

}
