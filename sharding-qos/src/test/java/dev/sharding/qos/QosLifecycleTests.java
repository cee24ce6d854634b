package dev.sharding.qos;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.sharding.kubernetes.qos.Qos;
import dev.sharding.kubernetes.qos.RuleCounts;
import dev.sharding.kubernetes.rest.ApiRequest;
import dev.sharding.kubernetes.rest.RequestThrottle.Passage;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/** What QoS itself asks of the API server. */
class QosLifecycleTests {

	private final AtomicInteger reviews = new AtomicInteger();

	private final AtomicInteger rings = new AtomicInteger();

	@Test
	void asksWhoItIsUntilItKnowsAndIsNotLimitedByItsOwnRules() throws IOException {
		HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		server.createContext("/apis/authentication.k8s.io", this::review);
		server.createContext("/apis/example.com", this::ring);
		server.start();
		try {
			new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(QosAutoConfiguration.class))
				.withBean(KubernetesClient.class, () -> client(server.getAddress().getPort()))
				.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
				.withBean(QosShard.class, () -> new QosShard("/apis/example.com/v1/rings/r", "shard-1"))
				.withPropertyValues("sharding.qos.enabled=true", "sharding.qos.built-in-rules=false",
						"sharding.qos.membership-period=20ms", "sharding.qos.classes.never.kind=token-bucket",
						"sharding.qos.classes.never.qps=0.00001", "sharding.qos.rules.all.priority=1",
						"sharding.qos.rules.all.qos-class=never", "sharding.qos.rules.all.max-wait=0s",
						"sharding.qos.rules.all.scope=ring", "sharding.qos.rules.us.priority=2",
						"sharding.qos.rules.us.qos-class=never", "sharding.qos.rules.us.subjects.user=us")
				.run((context) -> {
					Qos qos = context.getBean(Qos.class);
					Awaitility.await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> {
						Passage passage = qos.enter(ApiRequest.of("GET", "/api/v1/pods"));
						assertThat(passage).isNotNull();
						passage.ended(null);
						assertThat(matched(qos, "us")).isPositive();
						assertThat(this.rings).hasValueGreaterThan(2);
					});
					assertThat(this.reviews).hasValue(3);
				});
		}
		finally {
			server.stop(0);
		}
	}

	private static long matched(Qos qos, String rule) {
		return qos.counts()
			.stream()
			.filter((counts) -> counts.rule().equals(rule))
			.mapToLong(RuleCounts::matched)
			.sum();
	}

	/* The third answer is one. */
	private void review(HttpExchange exchange) throws IOException {
		answer(exchange, (this.reviews.incrementAndGet() < 3) ? null
				: "{\"apiVersion\":\"authentication.k8s.io/v1\",\"kind\":\"SelfSubjectReview\",\"status\":{\"userInfo\":{\"username\":\"us\"}}}");
	}

	private void ring(HttpExchange exchange) throws IOException {
		this.rings.incrementAndGet();
		answer(exchange, "{\"apiVersion\":\"example.com/v1\",\"kind\":\"Ring\",\"status\":{\"availableShards\":1}}");
	}

	private static void answer(HttpExchange exchange, @Nullable String body) throws IOException {
		byte[] bytes = (body != null) ? body.getBytes(StandardCharsets.UTF_8) : new byte[0];
		exchange.getResponseHeaders().set("Content-Type", "application/json");
		exchange.sendResponseHeaders((body != null) ? 200 : 503, (body != null) ? bytes.length : -1);
		exchange.getResponseBody().write(bytes);
		exchange.close();
	}

	private static KubernetesClient client(int port) {
		return new KubernetesClientBuilder()
			.withConfig(new ConfigBuilder(Config.empty()).withMasterUrl("http://127.0.0.1:" + port)
				.withRequestRetryBackoffLimit(0)
				.build())
			.build();
	}

}
