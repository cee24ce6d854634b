package dev.sharding.qos;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

import dev.sharding.client.RequestThrottle.Passage;
import dev.sharding.internal.kubernetes.qos.Qos;
import dev.sharding.internal.kubernetes.qos.RuleCounts;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.test.Access;
import dev.sharding.test.AnswerProxy;
import dev.sharding.test.AnswerProxy.Answer;
import dev.sharding.test.AnswerProxy.Request;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.CustomResourceDefinitions;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceBuilder;
import io.fabric8.kubernetes.api.model.rbac.PolicyRuleBuilder;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
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
@ControlPlaneTest
@ExtendWith(OutputCaptureExtension.class)
class QosLifecycleIT {

	private static final String[] RING_WIDE = { "sharding.qos.enabled=true", "sharding.qos.built-in-rules=false",
			"sharding.qos.membership-period=20ms", "sharding.qos.classes.never.kind=token-bucket",
			"sharding.qos.classes.never.qps=0.00001", "sharding.qos.rules.all.priority=1",
			"sharding.qos.rules.all.qos-class=never", "sharding.qos.rules.all.scope=ring" };

	private static final String RING = "/apis/example.com/v1/rings/r";

	private static final Answer AWAY = new Answer(503, Map.of(), "{}");

	private final ControlPlane cluster;

	QosLifecycleIT(ControlPlane cluster) {
		this.cluster = cluster;
	}

	/** Four shards are available. */
	@BeforeAll
	static void createRing(KubernetesClient client) {
		CustomResourceDefinitions.apply(client, "/rings.yaml");
		client
			.genericKubernetesResources(new ResourceDefinitionContext.Builder().withGroup("example.com")
				.withVersion("v1")
				.withKind("Ring")
				.withPlural("rings")
				.withNamespaced(false)
				.build())
			.resource(new GenericKubernetesResourceBuilder().withApiVersion("example.com/v1")
				.withKind("Ring")
				.withNewMetadata()
				.withName("r")
				.endMetadata()
				.addToAdditionalProperties("status", Map.of("availableShards", 4))
				.build())
			.serverSideApply();
	}

	@Test
	void asksWhoItIsUntilItKnowsAndIsNotLimitedByItsOwnRules() {
		Access us = reader("us");
		AtomicInteger reviews = new AtomicInteger();
		try (AnswerProxy server = AnswerProxy.before(us,
				(request) -> (isReview(request) && reviews.incrementAndGet() < 3) ? AWAY : null)) {
			new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(QosAutoConfiguration.class))
				.withBean(KubernetesClient.class, () -> client(server))
				.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
				.withBean(QosShard.class, () -> new QosShard(RING, "shard-1"))
				.withPropertyValues("sharding.qos.enabled=true", "sharding.qos.built-in-rules=false",
						"sharding.qos.membership-period=20ms", "sharding.qos.classes.never.kind=token-bucket",
						"sharding.qos.classes.never.qps=0.00001", "sharding.qos.rules.all.priority=1",
						"sharding.qos.rules.all.qos-class=never", "sharding.qos.rules.all.max-wait=0s",
						"sharding.qos.rules.all.scope=ring", "sharding.qos.rules.us.priority=2",
						"sharding.qos.rules.us.qos-class=never", "sharding.qos.rules.us.subjects.user=" + us.user())
				.run((context) -> {
					Qos qos = context.getBean(Qos.class);
					Awaitility.await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> {
						Passage passage = qos.enter(ApiRequest.of("GET", "/api/v1/pods"));
						assertThat(passage).isNotNull();
						passage.ended(null);
						assertThat(matched(qos, "us")).isPositive();
						assertThat(looks(server)).isGreaterThan(2);
					});
					assertThat(server.requests()).filteredOn(QosLifecycleIT::isReview).hasSize(3);
				});
		}
	}

	@Test
	void limitOfTheRingIsDividedAlsoWhenOnlyOneOfTwoClientsKnowsTheRing() {
		ringWide().withBean("a", KubernetesClient.class, () -> this.cluster.user("stranger-of-two").client())
			.withBean("b", KubernetesClient.class, () -> reader("one-of-two").client())
			.run((context) -> {
				Qos qos = context.getBean(Qos.class);
				Awaitility.await()
					.atMost(Duration.ofMinutes(1))
					.untilAsserted(
							() -> assertThat(QosShare.of(qos)).isEqualTo(Map.of("all", Map.of("divided-by", 4))));
			});
	}

	@Test
	void ringOfAnotherClusterIsNotTheShards() {
		AtomicInteger ours = new AtomicInteger();
		try (AnswerProxy another = AnswerProxy.before(reader("other-cluster"), (request) -> null);
				AnswerProxy server = AnswerProxy.before(reader("our-cluster"),
						(request) -> (isLook(request) && ours.incrementAndGet() < 3) ? AWAY : null)) {
			new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(QosAutoConfiguration.class))
				.withPropertyValues(RING_WIDE)
				.withBean("a", KubernetesClient.class, () -> client(another))
				.withBean("b", KubernetesClient.class, () -> client(server))
				.withUserConfiguration(ShardOfTheSecondCluster.class)
				.run((context) -> {
					Qos qos = context.getBean(Qos.class);
					Awaitility.await()
						.atMost(Duration.ofMinutes(1))
						.until(() -> qos.membership("").known() && qos.membership("").shards() == 4);
					assertThat(looks(server)).isGreaterThanOrEqualTo(3);
					assertThat(looks(another)).isZero();
				});
		}
	}

	/** Whose ring the second client knows. */
	@Configuration(proxyBeanMethods = false)
	static class ShardOfTheSecondCluster {

		@Bean
		QosShard qosShard(@Qualifier("b") KubernetesClient client) {
			return new QosShard(RING, "shard-1", client);
		}

	}

	@Test
	void limitOfTheRingOfUnknownSizeIsInTheLogOnceAndInTheEndpoint(CapturedOutput output) {
		try (AnswerProxy server = AnswerProxy.before(this.cluster.user("stranger"), (request) -> null)) {
			ringWide().withBean(KubernetesClient.class, () -> client(server)).run((context) -> {
				Qos qos = context.getBean(Qos.class);
				Awaitility.await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> {
					assertThat(looks(server)).isGreaterThan(6);
					assertThat(output).contains("The limit of QoS rule 'all' (class 'never') is one sixteenth");
				});
				assertThat(output.getAll().split("is one sixteenth", -1)).hasSize(2);
				assertThat(QosShare.of(qos).get("all")).containsEntry("divided-by", 16)
					.hasEntrySatisfying("reason", (reason) -> assertThat(reason.toString()).contains("403"));
			});
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
				assertThat(QosShare.of(context.getBean(Qos.class)).get("all")).containsEntry("divided-by", 1);
			});
	}

	private static ApplicationContextRunner ringWide() {
		return new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(QosAutoConfiguration.class))
			.withBean(QosShard.class, () -> new QosShard(RING, "shard-1"))
			.withPropertyValues(RING_WIDE);
	}

	private static long matched(Qos qos, String rule) {
		return qos.counts()
			.stream()
			.filter((counts) -> counts.rule().equals(rule))
			.mapToLong(RuleCounts::matched)
			.sum();
	}

	/** May read rings, and nothing else. */
	private Access reader(String name) {
		return this.cluster.user(name,
				new PolicyRuleBuilder().withApiGroups("example.com").withResources("rings").withVerbs("get").build());
	}

	private static boolean isReview(Request request) {
		return request.path().startsWith("/apis/authentication.k8s.io/");
	}

	private static boolean isLook(Request request) {
		return request.path().equals(RING);
	}

	private static long looks(AnswerProxy server) {
		return server.requests().stream().filter(QosLifecycleIT::isLook).count();
	}

	private static KubernetesClient client(AnswerProxy server) {
		return new KubernetesClientBuilder()
			.withConfig(new ConfigBuilder(server.config()).withRequestRetryBackoffLimit(0).build())
			.build();
	}

}
