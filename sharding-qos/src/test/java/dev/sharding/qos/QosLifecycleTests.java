package dev.sharding.qos;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
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
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/** What QoS itself asks of the API server. */
@ExtendWith(OutputCaptureExtension.class)
class QosLifecycleTests {

	private static final String[] RING_WIDE = { "sharding.qos.enabled=true", "sharding.qos.built-in-rules=false",
			"sharding.qos.membership-period=20ms", "sharding.qos.classes.never.kind=token-bucket",
			"sharding.qos.classes.never.qps=0.00001", "sharding.qos.rules.all.priority=1",
			"sharding.qos.rules.all.qos-class=never", "sharding.qos.rules.all.scope=ring" };

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
				.withBean(KubernetesClient.class, () -> client(server.getAddress().getPort(), ""))
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

	@Test
	void limitOfTheRingIsDividedAlsoWhenOnlyOneOfTwoClientsKnowsTheRing() throws IOException {
		HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		server.createContext("/a/apis/example.com", (exchange) -> answer(exchange, null));
		server.createContext("/b/apis/example.com", (exchange) -> answer(exchange,
				"{\"apiVersion\":\"example.com/v1\",\"kind\":\"Ring\",\"status\":{\"availableShards\":4}}"));
		server.start();
		try {
			ringWide().withBean("a", KubernetesClient.class, () -> client(server.getAddress().getPort(), "/a"))
				.withBean("b", KubernetesClient.class, () -> client(server.getAddress().getPort(), "/b"))
				.run((context) -> {
					Qos qos = context.getBean(Qos.class);
					Awaitility.await()
						.atMost(Duration.ofMinutes(1))
						.until(() -> qos.membership().known() && qos.membership().shards() == 4);
					assertThat(QosShare.of(qos)).isEqualTo(Map.of("all", Map.of("divided-by", 4)));
				});
		}
		finally {
			server.stop(0);
		}
	}

	@Test
	void ringOfAnotherClusterIsNotTheShards() throws IOException {
		HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		server.createContext("/a/apis/example.com", this::ring);
		AtomicInteger ours = new AtomicInteger();
		server.createContext("/b/apis/example.com", (exchange) -> answer(exchange, (ours.incrementAndGet() < 3) ? null
				: "{\"apiVersion\":\"example.com/v1\",\"kind\":\"Ring\",\"status\":{\"availableShards\":4}}"));
		server.start();
		int port = server.getAddress().getPort();
		try {
			new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(QosAutoConfiguration.class))
				.withPropertyValues(RING_WIDE)
				.withBean("a", KubernetesClient.class, () -> client(port, "/a"))
				.withBean("b", KubernetesClient.class, () -> client(port, "/b"))
				.withUserConfiguration(ShardOfTheSecondCluster.class)
				.run((context) -> {
					Qos qos = context.getBean(Qos.class);
					Awaitility.await()
						.atMost(Duration.ofMinutes(1))
						.until(() -> qos.membership().known() && qos.membership().shards() == 4);
					assertThat(this.rings).hasValue(0);
				});
		}
		finally {
			server.stop(0);
		}
	}

	/** Whose ring the second client knows. */
	@Configuration(proxyBeanMethods = false)
	static class ShardOfTheSecondCluster {

		@Bean
		QosShard qosShard(@Qualifier("b") KubernetesClient client) {
			return new QosShard("/apis/example.com/v1/rings/r", "shard-1", client);
		}

	}

	@Test
	void limitOfTheRingThatIsNotDividedIsInTheLogOnceAndInTheEndpoint(CapturedOutput output) throws IOException {
		AtomicInteger asked = new AtomicInteger();
		HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		server.createContext("/", (exchange) -> {
			asked.incrementAndGet();
			exchange.sendResponseHeaders(403, -1);
			exchange.close();
		});
		server.start();
		try {
			ringWide().withBean(KubernetesClient.class, () -> client(server.getAddress().getPort(), ""))
				.run((context) -> {
					Qos qos = context.getBean(Qos.class);
					Awaitility.await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> {
						assertThat(asked).hasValueGreaterThan(6);
						assertThat(output).contains("The limit of QoS rule 'all' (class 'never') is not divided");
					});
					assertThat(output.getAll().split("is not divided", -1)).hasSize(2);
					assertThat(QosShare.of(qos).get("all")).containsEntry("divided-by", "unknown")
						.hasEntrySatisfying("reason", (reason) -> assertThat(reason.toString()).contains("403"));
				});
		}
		finally {
			server.stop(0);
		}
	}

	@Test
	void limitOfTheRingInAProcessThatIsNoShardIsNotDividedAndSaysSo(CapturedOutput output) {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(QosAutoConfiguration.class))
			.withPropertyValues(RING_WIDE)
			.run((context) -> {
				Awaitility.await()
					.atMost(Duration.ofMinutes(1))
					.untilAsserted(() -> assertThat(output).contains("this process is no shard of a ring"));
				assertThat(QosShare.of(context.getBean(Qos.class)).get("all")).containsEntry("divided-by", "unknown");
			});
	}

	private static ApplicationContextRunner ringWide() {
		return new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(QosAutoConfiguration.class))
			.withBean(QosShard.class, () -> new QosShard("/apis/example.com/v1/rings/r", "shard-1"))
			.withPropertyValues(RING_WIDE);
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

	private static KubernetesClient client(int port, String path) {
		return new KubernetesClientBuilder()
			.withConfig(new ConfigBuilder(Config.empty()).withMasterUrl("http://127.0.0.1:" + port + path)
				.withRequestRetryBackoffLimit(0)
				.build())
			.build();
	}

}
