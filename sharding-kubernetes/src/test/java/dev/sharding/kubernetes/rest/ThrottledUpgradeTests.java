package dev.sharding.kubernetes.rest;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import com.sun.net.httpserver.HttpServer;
import dev.sharding.kubernetes.rest.RequestThrottle.Passage;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.http.WebSocket;
import io.fabric8.kubernetes.client.http.WebSocketHandshakeException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ThrottledUpgradeTests {

	@Test
	void refusedUpgradeIsARefusalForTheThrottleAndAnAnswerForTheCaller() throws Exception {
		HttpServer server = refusing();
		CompletableFuture<Throwable> ended = new CompletableFuture<>();
		Config config = new ConfigBuilder(Config.empty())
			.withMasterUrl("http://127.0.0.1:" + server.getAddress().getPort())
			.withRequestRetryBackoffLimit(0)
			.build();
		try (KubernetesClient plain = new KubernetesClientBuilder().withConfig(config).build();
				KubernetesClient client = ThrottledClient.of(plain, (request) -> new Ending(ended))) {
			CompletableFuture<WebSocket> watch = client.getHttpClient()
				.newWebSocketBuilder()
				.uri(URI.create(config.getMasterUrl() + "api/v1/pods?watch=true"))
				.buildAsync(new WebSocket.Listener() {
				});
			assertThat(ended.get(30, TimeUnit.SECONDS)).isInstanceOfSatisfying(ApiException.class, (refusal) -> {
				assertThat(refusal.status()).isEqualTo(429);
				assertThat(refusal.retryAfter()).isEqualTo(Duration.ofSeconds(7));
			});
			assertThat(watch).failsWithin(Duration.ofSeconds(30))
				.withThrowableThat()
				.havingCause()
				.isInstanceOfSatisfying(WebSocketHandshakeException.class,
						(failure) -> assertThat(failure.getResponse().code()).isEqualTo(429));
		}
		finally {
			server.stop(0);
		}
	}

	private static HttpServer refusing() throws IOException {
		HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		server.createContext("/", (exchange) -> {
			exchange.getResponseHeaders().set("Retry-After", "7");
			exchange.sendResponseHeaders(429, -1);
			exchange.close();
		});
		server.start();
		return server;
	}

	/** Lets the request go at once and says how it ended. */
	private record Ending(CompletableFuture<Throwable> ended) implements Passage {

		@Override
		public CompletableFuture<Void> admitted() {
			return CompletableFuture.completedFuture(null);
		}

		@Override
		public void received(ByteBuffer chunk) {
		}

		@Override
		public void ended(@Nullable Throwable failure) {
			this.ended.complete(failure);
		}

	}

}
