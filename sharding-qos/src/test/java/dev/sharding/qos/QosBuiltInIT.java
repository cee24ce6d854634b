package dev.sharding.qos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import dev.sharding.kubernetes.qos.Qos;
import dev.sharding.kubernetes.qos.RuleCounts;
import dev.sharding.kubernetes.rest.ApiRequest;
import dev.sharding.kubernetes.rest.ApiRequests;
import dev.sharding.kubernetes.rest.ApiResponse;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The built-in rules as they are shipped. */
@ControlPlaneTest
class QosBuiltInIT {

	private static final Duration PATIENCE = Duration.ofMinutes(1);

	private static final int OBJECTS = 1_100;

	private final KubernetesClient plain;

	private final String namespace;

	private final String core;

	private final ApplicationContextRunner runner;

	QosBuiltInIT(KubernetesClient plain, @TestNamespace String namespace) {
		this.plain = plain;
		this.namespace = namespace;
		this.core = "/api/v1/namespaces/" + namespace;
		this.runner = new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(QosAutoConfiguration.class))
			.withBean(KubernetesClient.class,
					() -> new KubernetesClientBuilder().withConfig(plain.getConfiguration()).build())
			.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
			.withPropertyValues("sharding.qos.enabled=true");
	}

	@Test
	void largeListsWaitAndPagesDoNot() {
		create();
		this.runner.run((context) -> {
			Qos qos = context.getBean(Qos.class);
			ApiRequests requests = new ApiRequests(context.getBean(KubernetesClient.class));
			ApiRequest list = ApiRequest.of("GET", this.core + "/configmaps");
			// Nobody knows yet how large it is.
			requests.call(list);
			requests.call(list.query("limit", "500"));
			await().atMost(PATIENCE).until(() -> {
				requests.call(list);
				return counts(qos, "large-lists").matched() > 0;
			});
			List<CompletableFuture<ApiResponse>> answers = new ArrayList<>();
			for (int i = 0; i < 30; i++) {
				answers.add(requests.send(list));
			}
			CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new)).join();
			RuleCounts counts = counts(qos, "large-lists");
			assertThat(counts.waited()).isPositive();
			assertThat(counts.rejected()).isZero();
			for (int i = 0; i < 30; i++) {
				requests.call(list.query("limit", "500"));
			}
			assertThat(counts(qos, "large-lists").matched()).isEqualTo(counts.matched());
		});
	}

	@Test
	void eventsWaitWhileStorageIsNearlyFullAndOtherWritesDoNot() {
		this.runner.withPropertyValues("sharding.qos.storage-quota=1B").run((context) -> {
			Qos qos = context.getBean(Qos.class);
			MeterRegistry meters = context.getBean(MeterRegistry.class);
			await().atMost(PATIENCE).until(() -> meters.get("sharding.qos.storage.used").gauge().value() > 0.9);
			ApiRequests requests = new ApiRequests(context.getBean(KubernetesClient.class));
			List<CompletableFuture<ApiResponse>> answers = new ArrayList<>();
			for (int i = 0; i < 3; i++) {
				answers.add(requests.send(post("events", "\"metadata\":{\"generateName\":\"event-\"},"
						+ "\"involvedObject\":{\"namespace\":\"" + this.namespace + "\"}")));
			}
			requests.call(post("configmaps", "\"metadata\":{\"generateName\":\"other-\"}"));
			CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new)).handle((done, failure) -> null).join();
			assertThat(counts(qos, "events-under-storage-pressure")).extracting(RuleCounts::matched, RuleCounts::waited)
				.containsExactly(3L, 2L);
		});
	}

	private void create() {
		ApiRequests requests = new ApiRequests(this.plain);
		List<CompletableFuture<ApiResponse>> answers = new ArrayList<>();
		for (int i = 0; i < OBJECTS; i++) {
			answers.add(requests.send(post("configmaps", "\"metadata\":{\"generateName\":\"object-\"}")));
			if (i % 50 == 0) {
				answers.get(i).join();
			}
		}
		CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new)).join();
	}

	private ApiRequest post(String resource, String content) {
		return ApiRequest.of("POST", this.core + "/" + resource, "application/json", "{" + content + "}");
	}

	private static RuleCounts counts(Qos qos, String rule) {
		return qos.counts().stream().filter((counts) -> counts.rule().equals(rule)).findFirst().orElseThrow();
	}

}
