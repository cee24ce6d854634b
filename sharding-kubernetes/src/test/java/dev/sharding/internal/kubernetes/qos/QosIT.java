package dev.sharding.internal.kubernetes.qos;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import dev.sharding.client.QosLimitedException;
import dev.sharding.client.RequestThrottle;
import dev.sharding.internal.kubernetes.qos.limit.QosPieces;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.ApiResponse;
import dev.sharding.internal.kubernetes.rest.ApiStream;
import dev.sharding.internal.kubernetes.rest.ThrottledClient;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.qos.spi.Accounting;
import dev.sharding.qos.spi.Cost;
import dev.sharding.qos.spi.Operation;
import dev.sharding.qos.spi.PathPrefix;
import dev.sharding.qos.spi.QosClass;
import dev.sharding.qos.spi.QosRule;
import dev.sharding.qos.spi.QosRules;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.ConfigMapList;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.fabric8.kubernetes.client.dsl.NonDeletingOperation;
import io.fabric8.kubernetes.client.dsl.NonNamespaceOperation;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.github.resilience4j.bulkhead.BulkheadRegistry;
import io.github.resilience4j.ratelimiter.RateLimiterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

@ControlPlaneTest
class QosIT {

	private static final Duration PATIENCE = Duration.ofMinutes(1);

	private final BulkheadRegistry bulkheads = BulkheadRegistry.ofDefaults();

	private final RateLimiterRegistry rateLimiters = RateLimiterRegistry.ofDefaults();

	private final Qos qos = new Qos(QosRules.NONE, QosOptions.DEFAULTS,
			QosPieces.standard(this.rateLimiters, this.bulkheads, System::nanoTime), new SimpleMeterRegistry(),
			InstantSource.system(), System::nanoTime);

	private final KubernetesClient client;

	private final ApiRequests requests;

	private final ApiRequest list;

	private final String path;

	private final String namespace;

	QosIT(KubernetesClient plain, @TestNamespace String namespace) {
		this.client = ThrottledClient.of(new KubernetesClientBuilder().withConfig(plain.getConfiguration()).build(),
				this.qos);
		this.requests = new ApiRequests(this.client);
		this.namespace = namespace;
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
	void whoWaitsHoldsNoThreadAndOthersGoOnOverTheSameClient() {
		define(new QosClass.TokenBucket(0.001, 1), Duration.ofDays(1), Set.of(Operation.LIST));
		this.requests.call(this.list);
		List<CompletableFuture<ApiResponse>> waiting = new ArrayList<>();
		for (int i = 0; i < 50; i++) {
			waiting.add(this.requests.send(this.list));
		}
		for (int i = 0; i < 50; i++) {
			assertThat(this.requests.call(ApiRequest.of("GET", this.path + "/object-1")).status()).isEqualTo(200);
		}
		assertThat(waiting).allSatisfy((answer) -> assertThat(answer).isNotDone());
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(threadsInside()).isEmpty());
		waiting.forEach((answer) -> answer.cancel(true));
		// No debt is left: each gave its place back.
		assertThat(this.rateLimiters.rateLimiter("qos-rule").getMetrics().getAvailablePermissions()).isZero();
	}

	/* Threads other than this one that are somewhere in the limits. */
	private static List<String> threadsInside() {
		List<String> names = new ArrayList<>();
		Thread.getAllStackTraces().forEach((thread, frames) -> {
			if (thread != Thread.currentThread() && Stream.of(frames)
				.anyMatch((frame) -> frame.getClassName().startsWith(Qos.class.getPackageName() + ".")
						&& !frame.getClassName().startsWith(QosIT.class.getName()))) {
				names.add(thread.getName());
			}
		});
		return names;
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
			await().atMost(PATIENCE).untilAsserted(() -> assertThat(permits()).isEqualTo(1));
		}
	}

	@Test
	void changesUnderLoadLoseNoRequestAndNoPermit() throws Exception {
		List<CompletableFuture<ApiResponse>> answers = new ArrayList<>();
		for (int i = 0; i < 200; i++) {
			if (i % 20 == 0) {
				define((i % 40 == 0) ? new QosClass.MaxInFlight(2 + i % 3) : new QosClass.TokenBucket(300, 1 + i),
						PATIENCE, Set.of(Operation.LIST));
			}
			answers.add(this.requests.send(this.list));
		}
		define(new QosClass.MaxInFlight(3), PATIENCE, Set.of(Operation.LIST));
		answers.add(this.requests.send(this.list));
		CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new)).get();
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(permits()).isEqualTo(3));
		assertThat(answers).allSatisfy((answer) -> assertThat(answer.join().text()).contains("object-2"));
	}

	@Test
	void requestsThroughTheMethodsOfTheClientAreLimitedToo() {
		define(new QosClass.TokenBucket(0.001, 2), Duration.ZERO, Set.of(Operation.LIST, Operation.GET));
		assertThat(maps().list().getItems()).hasSizeGreaterThanOrEqualTo(3);
		assertThat(maps().withName("object-1").get()).isNotNull();
		assertThatThrownBy(() -> maps().withName("object-1").get()).satisfiesAnyOf(
				(ex) -> assertThat(ex).isInstanceOf(QosLimitedException.class),
				(ex) -> assertThat(ex).hasRootCauseInstanceOf(QosLimitedException.class));
		assertThat(this.qos.counts()).singleElement()
			.satisfies((counts) -> assertThat(counts).extracting(RuleCounts::matched, RuleCounts::rejected)
				.containsExactly(3L, 1L));
	}

	@Test
	void requestsThroughTheMethodsOfTheClientReturnTheirPermits() throws Exception {
		define(new QosClass.MaxInFlight(1), PATIENCE, Set.of(Operation.values()));
		CountDownLatch seen = new CountDownLatch(3);
		try (Watch watch = maps().watch(new Watcher<>() {

			@Override
			public void eventReceived(Action action, ConfigMap resource) {
				seen.countDown();
			}

			@Override
			public void onClose(WatcherException cause) {
			}

		})) {
			assertThat(seen.await(1, TimeUnit.MINUTES)).isTrue();
			for (int i = 0; i < 20; i++) {
				assertThat(maps().withName("object-" + i % 4).get() == null).isEqualTo(i % 4 == 3);
			}
			assertThat(maps().list().getItems()).hasSizeGreaterThanOrEqualTo(3);
			await().atMost(PATIENCE).untilAsserted(() -> assertThat(permits()).isEqualTo(1));
		}
		assertThat(this.qos.counts()).singleElement().satisfies((counts) -> assertThat(counts.matched()).isEqualTo(22));
	}

	@Test
	void writeThatItsCallerGaveUpIsNotSentLater() {
		define(new QosClass.MaxInFlight(1), PATIENCE, Set.of(Operation.CREATE));
		RequestThrottle.Passage flying = this.qos.enter(ApiRequest.of("POST", this.path));
		assertThat(flying).isNotNull();
		Config hasty = new ConfigBuilder(this.client.getConfiguration()).withRequestTimeout(300)
			.withRequestRetryBackoffLimit(0)
			.build();
		try (KubernetesClient limited = ThrottledClient.of(new KubernetesClientBuilder().withConfig(hasty).build(),
				this.qos)) {
			ConfigMap late = new ConfigMapBuilder().withNewMetadata()
				.withNamespace(this.namespace)
				.withName("late")
				.endMetadata()
				.build();
			assertThatThrownBy(() -> limited.resource(late).create()).isInstanceOf(KubernetesClientException.class);
			// The client tells its caller first, and the request a moment later.
			await().atMost(PATIENCE)
				.until(() -> !this.qos.monitor().since(null, 0, 1, 0, Duration.ZERO).join().isEmpty());
			flying.ended(null);
			assertThat(permits()).isEqualTo(1);
			assertThat(maps().withName("late").get()).isNull();
		}
	}

	@Test
	void eachTryPassesTheLimit() {
		define(new QosClass.TokenBucket(1_000, 1_000), PATIENCE, Set.of(Operation.GET));
		Config config = new ConfigBuilder(Config.empty()).withMasterUrl("http://127.0.0.1:1/")
			.withRequestRetryBackoffLimit(3)
			.withRequestRetryBackoffInterval(1)
			.build();
		try (KubernetesClient limited = ThrottledClient.of(new KubernetesClientBuilder().withConfig(config).build(),
				this.qos)) {
			assertThatThrownBy(() -> limited.configMaps().inNamespace(this.namespace).withName("object-1").get())
				.isInstanceOf(KubernetesClientException.class);
		}
		assertThat(this.qos.counts()).singleElement().satisfies((counts) -> assertThat(counts.matched()).isEqualTo(4));
	}

	@Test
	void predictsTheSizeOfLists() {
		define(new QosClass.TokenBucket(1, 1), Duration.ZERO, Set.of(Operation.DELETE, Operation.LIST),
				Cost.TRAFFIC_BYTES);
		this.requests.call(this.list);
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(this.qos.memory().size()).isEqualTo(1));
	}

	private NonNamespaceOperation<ConfigMap, ConfigMapList, Resource<ConfigMap>> maps() {
		return this.client.configMaps().inNamespace(this.namespace);
	}

	private int permits() {
		return this.bulkheads.bulkhead("qos-rule").getMetrics().getAvailableConcurrentCalls();
	}

	private void define(QosClass qosClass, Duration wait, Set<Operation> operations) {
		define(qosClass, wait, operations, Cost.REQUESTS);
	}

	private void define(QosClass qosClass, Duration wait, Set<Operation> operations, Cost cost) {
		QosRule rule = new QosRule("rule", true, 1, List.of(), List.of(PathPrefix.parse(this.path)), operations,
				List.of(), "class", cost, Accounting.RULE, false, "", wait);
		this.qos.change((before) -> QosRules.define(Map.of("class", qosClass), List.of(rule)));
	}

}
