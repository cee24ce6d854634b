package dev.sharding.kubernetes.qos;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import dev.sharding.core.qos.Accounting;
import dev.sharding.core.qos.Cost;
import dev.sharding.core.qos.Operation;
import dev.sharding.core.qos.PathPrefix;
import dev.sharding.core.qos.QosClass;
import dev.sharding.core.qos.QosRule;
import dev.sharding.core.qos.QosRules;
import dev.sharding.kubernetes.rest.ApiRequest;
import dev.sharding.kubernetes.rest.ApiRequests;
import dev.sharding.kubernetes.rest.ApiResponse;
import dev.sharding.kubernetes.rest.ApiStream;
import dev.sharding.kubernetes.rest.RequestThrottle;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.dsl.NonDeletingOperation;
import io.github.resilience4j.bulkhead.BulkheadRegistry;
import io.github.resilience4j.ratelimiter.RateLimiterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@ControlPlaneTest
class QosIT {

	private static final Duration PATIENCE = Duration.ofMinutes(1);

	private final BulkheadRegistry bulkheads = BulkheadRegistry.ofDefaults();

	private final Qos qos = new Qos(QosRules.NONE, QosOptions.DEFAULTS, RateLimiterRegistry.ofDefaults(),
			this.bulkheads, new SimpleMeterRegistry(), InstantSource.system(), System::nanoTime);

	private final KubernetesClient client;

	private final ApiRequests requests;

	private final ApiRequest list;

	private final String path;

	QosIT(KubernetesClient plain, @TestNamespace String namespace) {
		this.client = new KubernetesClientBuilder().withConfig(plain.getConfiguration())
			.withHttpClientBuilderConsumer((http) -> http.tag(new RequestThrottle.Tag(this.qos)))
			.build();
		this.requests = new ApiRequests(this.client);
		this.path = "/api/v1/namespaces/" + namespace + "/configmaps";
		this.list = ApiRequest.of("GET", this.path);
		for (int i = 0; i < 3; i++) {
			plain
				.resource(new ConfigMapBuilder().withNewMetadata()
					.withNamespace(namespace)
					.withName("object-" + i)
					.endMetadata()
					.build())
				.createOr(NonDeletingOperation::update);
		}
	}

	@AfterEach
	void disconnect() {
		this.client.close();
	}

	@Test
	void requestsWaitForTheirTurnAndAllArrive() throws Exception {
		define(new QosClass.TokenBucket(50, 5), Duration.ofMinutes(1), Set.of(Operation.LIST));
		List<CompletableFuture<ApiResponse>> answers = new ArrayList<>();
		long start = System.nanoTime();
		for (int i = 0; i < 55; i++) {
			answers.add(this.requests.send(this.list));
		}
		CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new)).get();
		// 50 of them at 50 a second: a bound from below, which a slow machine cannot
		// break.
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(1_000));
		assertThat(this.qos.counts()).singleElement().satisfies((counts) -> {
			assertThat(counts.matched()).isEqualTo(55);
			assertThat(counts.waited()).isPositive();
			assertThat(counts.rejected()).isZero();
		});
	}

	@Test
	void limitedRequestIsNotSent() {
		define(new QosClass.TokenBucket(0.001, 1), Duration.ZERO, Set.of(Operation.CREATE));
		String body = "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"%s\"}}";
		this.requests.call(ApiRequest.of("POST", this.path, "application/json", body.formatted("first")));
		CompletableFuture<ApiResponse> second = this.requests
			.send(ApiRequest.of("POST", this.path, "application/json", body.formatted("second")));
		assertThat(second).isCompletedExceptionally();
		assertThat(second.handle((answer, failure) -> failure).join()).isInstanceOf(QosLimitedException.class);
		assertThat(this.requests.call(this.list).text()).contains("\"first\"").doesNotContain("\"second\"");
	}

	@Test
	void watchHoldsNoPermitAndCancelledRequestsReturnTheirs() throws Exception {
		define(new QosClass.MaxInFlight(1), PATIENCE, Set.of(Operation.LIST, Operation.WATCH));
		ApiRequest watch = this.list.query("watch", "true");
		try (ApiStream first = this.requests.open(watch).get(); ApiStream second = this.requests.open(watch).get()) {
			assertThat(first.nextLine(PATIENCE)).isNotNull();
			assertThat(second.nextLine(PATIENCE)).isNotNull();
			List<CompletableFuture<ApiResponse>> answers = new ArrayList<>();
			for (int i = 0; i < 50; i++) {
				CompletableFuture<ApiResponse> answer = this.requests.send(this.list);
				if (i % 3 == 0) {
					answer.cancel(true);
				}
				else {
					answers.add(answer);
				}
			}
			CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new)).get();
			await().untilAsserted(() -> assertThat(permits()).isEqualTo(1));
		}
	}

	@Test
	void changesUnderLoadLoseNoRequest() throws Exception {
		List<CompletableFuture<ApiResponse>> answers = new ArrayList<>();
		for (int i = 0; i < 200; i++) {
			if (i % 20 == 0) {
				define((i % 40 == 0) ? new QosClass.MaxInFlight(2 + i % 3) : new QosClass.TokenBucket(300, 1 + i),
						PATIENCE, Set.of(Operation.LIST));
			}
			answers.add(this.requests.send(this.list));
		}
		CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new)).get();
		assertThat(answers).allSatisfy((answer) -> assertThat(answer.join().text()).contains("object-2"));
	}

	@Test
	void predictsTheSizeOfLists() {
		define(new QosClass.TokenBucket(1, 1), Duration.ZERO, Set.of(Operation.DELETE, Operation.LIST));
		this.requests.call(this.list);
		assertThat(this.qos.memory().size()).isEqualTo(1);
	}

	private int permits() {
		return this.bulkheads.bulkhead("qos-rule").getMetrics().getAvailableConcurrentCalls();
	}

	private void define(QosClass qosClass, Duration wait, Set<Operation> operations) {
		QosRule rule = new QosRule("rule", true, 1, List.of(), List.of(PathPrefix.parse(this.path)), operations,
				List.of(), "class", Cost.REQUESTS, Accounting.RULE, false, wait);
		this.qos.change((before) -> QosRules.define(Map.of("class", qosClass), List.of(rule)));
	}

}
