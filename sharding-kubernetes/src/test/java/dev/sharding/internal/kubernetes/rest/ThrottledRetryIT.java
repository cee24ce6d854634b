package dev.sharding.internal.kubernetes.rest;

import java.net.URI;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.http.WebSocket;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.slf4j.MDC;

import dev.sharding.client.ApiException;
import dev.sharding.client.RequestThrottle;
import dev.sharding.test.Access;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.ThrottledUser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@ControlPlaneTest
@TestInstance(Lifecycle.PER_CLASS)
class ThrottledRetryIT {

	private final List<String> controllers = new CopyOnWriteArrayList<>();

	private final List<String> threads = new CopyOnWriteArrayList<>();

	private final Access user;

	private final ThrottledUser refusals;

	private KubernetesClient client;

	ThrottledRetryIT(ControlPlane cluster) {
		this.user = cluster.user("retrying");
		this.refusals = ThrottledUser.of(cluster, this.user, "", "pods");
	}

	@AfterAll
	void close() {
		this.refusals.close();
	}

	@BeforeEach
	void connect() {
		this.controllers.clear();
		this.threads.clear();
		this.client = retrying((request) -> {
			this.controllers.add(String.valueOf(MDC.get("controller")));
			this.threads.add(Thread.currentThread().getName());
			return null;
		});
	}

	private KubernetesClient retrying(RequestThrottle throttle) {
		Config config = new ConfigBuilder(this.user.config()).withRequestRetryBackoffLimit(2)
			.withRequestRetryBackoffInterval(1)
			.build();
		return ThrottledClient.of(new KubernetesClientBuilder().withConfig(config).build(), throttle);
	}

	@AfterEach
	void disconnect() {
		this.client.close();
	}

	@Test
	void eachTryIsThatOfTheControllerThatMadeTheCall() {
		try (MDC.MDCCloseable ignored = MDC.putCloseable("controller", "greedy")) {
			assertThatThrownBy(() -> this.client.pods().inNamespace("a").withName("b").get())
				.isInstanceOf(KubernetesClientException.class);
		}
		assertThat(this.controllers).containsExactly("greedy", "greedy", "greedy");
		assertThat(this.threads.get(1)).isNotEqualTo(this.threads.get(0));
		this.controllers.clear();
		assertThatThrownBy(() -> this.client.pods().inNamespace("a").withName("b").get())
			.isInstanceOf(KubernetesClientException.class);
		assertThat(this.controllers).containsExactly("null", "null", "null");
	}

	@Test
	void eachTryIsARefusalForTheThrottle() {
		List<CompletableFuture<Throwable>> ends = new CopyOnWriteArrayList<>();
		try (KubernetesClient retrying = retrying((request) -> {
			CompletableFuture<Throwable> end = new CompletableFuture<>();
			ends.add(end);
			return new ThrottledUpgradeIT.Ending(end);
		})) {
			assertThatThrownBy(() -> retrying.pods().inNamespace("a").withName("b").get())
				.isInstanceOf(KubernetesClientException.class);
		}
		assertThat(ends).hasSize(3)
			.allSatisfy((end) -> assertThat(end).succeedsWithin(30, TimeUnit.SECONDS)
				.isInstanceOfSatisfying(ApiException.class, (refusal) -> {
					assertThat(refusal.status()).isEqualTo(429);
					assertThat(refusal.isOverload()).isTrue();
					assertThat(refusal.retryAfter()).isPositive();
				}));
	}

	@Test
	void eachTryOfAnUpgradeIsThatOfTheControllerThatAskedForIt() {
		try (MDC.MDCCloseable ignored = MDC.putCloseable("controller", "greedy")) {
			assertThat(this.client.getHttpClient()
				.newWebSocketBuilder()
				.uri(URI.create(this.client.getMasterUrl() + "api/v1/pods?watch=true"))
				.buildAsync(new WebSocket.Listener() {
				})).failsWithin(30, TimeUnit.SECONDS).withThrowableOfType(ExecutionException.class);
		}
		assertThat(this.controllers).containsExactly("greedy", "greedy", "greedy");
	}

}
