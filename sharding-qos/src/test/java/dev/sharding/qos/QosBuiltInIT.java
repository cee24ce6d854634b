package dev.sharding.qos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import dev.sharding.controller.ControllerSpec;
import dev.sharding.controller.Result;
import dev.sharding.internal.kubernetes.qos.Qos;
import dev.sharding.internal.kubernetes.qos.RuleCounts;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.ApiResponse;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.resource.ResourceType;
import dev.sharding.shard.LeaderElectedControllers;
import dev.sharding.shard.RuntimeOptions;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
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

	/* So many objects are reconciled at once, each of them in a loop. */
	private static final int LOOPS = 4;

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

	/*
	 * As shipped: the rule takes 10,000 objects a second, 12,000 at once.
	 */
	@Test
	void reconcilerThatListsEverythingInALoopIsLimited() {
		create();
		for (int i = 0; i < LOOPS; i++) {
			this.plain
				.resource(new SecretBuilder().withNewMetadata()
					.withNamespace(this.namespace)
					.withName("loop-" + i)
					.endMetadata()
					.build())
				.create();
		}
		this.runner.run((context) -> {
			Qos qos = context.getBean(Qos.class);
			KubernetesClient client = context.getBean(KubernetesClient.class);
			AtomicInteger lists = new AtomicInteger();
			try (LeaderElectedControllers controllers = LeaderElectedControllers.everywhere(client,
					RuntimeOptions.DEFAULTS)) {
				controllers.add(ControllerSpec.of(ResourceType.of(Secret.class), (Secret secret) -> {
					if (!secret.getMetadata().getNamespace().equals(this.namespace)) {
						return Result.done();
					}
					client.configMaps().inNamespace(this.namespace).list();
					lists.incrementAndGet();
					return Result.requeueAfter(Duration.ofMillis(1));
				}).named("runaway").build());
				controllers.start();
				// The first requests of a shape are never limited.
				await().atMost(PATIENCE).until(() -> counts(qos, "large-lists").matched() > 0);
				long start = System.nanoTime();
				int before = lists.get();
				await().atMost(PATIENCE)
					.pollInterval(Duration.ofMillis(20))
					.until(() -> counts(qos, "large-lists").waited() >= 20);
				int served = lists.get() - before;
				double seconds = (System.nanoTime() - start) / 1e9;
				// What the bucket lets through, and what began before.
				assertThat(served).isLessThanOrEqualTo((int) ((12_000 + 10_000 * seconds) / OBJECTS) + 1 + LOOPS);
			}
			assertThat(counts(qos, "large-lists").rejected()).isZero();
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
			for (int i = 0; i < 6; i++) {
				answers.add(requests.send(post("events", "\"metadata\":{\"generateName\":\"event-\"},"
						+ "\"involvedObject\":{\"namespace\":\"" + this.namespace + "\"}")));
			}
			requests.call(post("configmaps", "\"metadata\":{\"generateName\":\"other-\"}"));
			CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new)).handle((done, failure) -> null).join();
			// How many waited depends on how long it took to send them.
			assertThat(counts(qos, "events-under-storage-pressure").matched()).isEqualTo(6);
			assertThat(counts(qos, "events-under-storage-pressure").waited()).isBetween(1L, 5L);
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
