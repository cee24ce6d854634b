package dev.sharding.internal.kubernetes.rest;

import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.http.WebSocket;
import io.fabric8.kubernetes.client.http.WebSocketHandshakeException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import dev.sharding.client.ApiException;
import dev.sharding.client.RequestThrottle.Passage;
import dev.sharding.test.Access;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.ThrottledUser;

import static org.assertj.core.api.Assertions.assertThat;

@ControlPlaneTest
class ThrottledUpgradeIT {

	@Test
	void refusedUpgradeIsARefusalForTheThrottleAndAnAnswerForTheCaller(ControlPlane cluster) throws Exception {
		CompletableFuture<Throwable> ended = new CompletableFuture<>();
		Access user = cluster.user("upgrading");
		Config config = new ConfigBuilder(user.config()).withRequestRetryBackoffLimit(0).build();
		try (ThrottledUser refusals = ThrottledUser.of(cluster, user, "", "pods");
				KubernetesClient plain = new KubernetesClientBuilder().withConfig(config).build();
				KubernetesClient client = ThrottledClient.of(plain, (request) -> new Ending(ended))) {
			CompletableFuture<WebSocket> watch = client.getHttpClient()
				.newWebSocketBuilder()
				.uri(URI.create(config.getMasterUrl() + "api/v1/pods?watch=true"))
				.buildAsync(new WebSocket.Listener() {
				});
			assertThat(watch).failsWithin(Duration.ofSeconds(30))
				.withThrowableThat()
				.havingCause()
				.isInstanceOfSatisfying(WebSocketHandshakeException.class, (failure) -> {
					assertThat(failure.getResponse().code()).isEqualTo(429);
					long seconds = Long.parseLong(failure.getResponse().header("Retry-After"));
					// The throttle may hear of it after the caller.
					assertThat(ended).succeedsWithin(Duration.ofSeconds(30))
						.isInstanceOfSatisfying(ApiException.class, (refusal) -> {
							assertThat(refusal.status()).isEqualTo(429);
							assertThat(refusal.retryAfter()).isEqualTo(Duration.ofSeconds(seconds));
						});
				});
		}
	}

	/** Lets the request go at once and says how it ended. */
	record Ending(CompletableFuture<Throwable> ended) implements Passage {

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
