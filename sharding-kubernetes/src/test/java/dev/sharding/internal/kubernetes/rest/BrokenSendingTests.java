package dev.sharding.internal.kubernetes.rest;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

import dev.sharding.client.ApiException;
import dev.sharding.client.NotSentException;
import dev.sharding.client.RequestThrottle;
import dev.sharding.client.RequestThrottle.Passage;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.internal.kubernetes.rest.http.MediaTypes;
import dev.sharding.internal.kubernetes.rest.http.RequestGuard;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.http.BasicBuilder;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.Interceptor;
import io.fabric8.kubernetes.client.impl.BaseClient;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/** Whatever breaks on the way to the API server, an exchange and its passage end. */
class BrokenSendingTests {

	private static final ApiRequest GET = ApiRequest.of("GET", "/api/v1/namespaces/default/secrets/a");

	private static final Duration LONG = Duration.ofSeconds(20);

	private final List<Object> ended = new CopyOnWriteArrayList<>();

	@Test
	void aNameWithAnIllegalCharacterEndsAlsoAfterAWait() {
		CompletableFuture<Void> admitted = new CompletableFuture<>();
		try (KubernetesClient client = client(null)) {
			CompletableFuture<ApiResponse> answer = new ApiRequests(ThrottledClient.of(client, throttle(admitted)))
				.send(ApiRequest.of("GET", "/api/v1/namespaces/default/secrets/a b^c"));
			admitted.completeAsync(() -> null);
			assertThat(answer).failsWithin(LONG)
				.withThrowableOfType(Exception.class)
				.withCauseInstanceOf(ApiException.class);
			// On the thread that ends it, which may be later than the one that answers.
			await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> assertThat(this.ended).hasSize(1));
		}
	}

	@Test
	void whatBreaksWhileItIsSentEndsAlsoAfterAWait() {
		CompletableFuture<Void> admitted = new CompletableFuture<>();
		try (KubernetesClient broken = client(new Interceptor() {

			@Override
			public void before(BasicBuilder builder, HttpRequest request, RequestTags tags) {
				throw new ExceptionInInitializerError("planned");
			}

		})) {
			CompletableFuture<ApiResponse> answer = new ApiRequests(ThrottledClient.of(broken, throttle(admitted)))
				.send(GET);
			admitted.completeAsync(() -> null);
			assertThat(answer).failsWithin(LONG).withThrowableOfType(Exception.class).withMessageContaining("planned");
			// On the thread that ends it, which may be later than the one that answers.
			await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> assertThat(this.ended).hasSize(1));
		}
	}

	@Test
	void aGuardThatBreaksAfterAWaitEndsTheExchange() {
		CompletableFuture<Void> admitted = new CompletableFuture<>();
		try (KubernetesClient client = client(null)) {
			ApiRequests guarded = new ApiRequests(ThrottledClient.of(client, throttle(admitted)), (request) -> () -> {
				throw new IllegalStateException("planned");
			});
			CompletableFuture<ApiResponse> answer = guarded.send(GET);
			admitted.completeAsync(() -> null);
			assertThat(answer).failsWithin(LONG)
				.withThrowableOfType(Exception.class)
				.withCauseInstanceOf(NotSentException.class)
				.withMessageContaining("Failed to GET secrets default/a: it was not sent, as IllegalStateException");
			// On the thread that ends it, which may be later than the one that answers.
			await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> assertThat(this.ended).hasSize(1));
		}
	}

	@Test
	void aGuardThatBreaksAtTheFirstByteEndsTheExchange() throws IOException {
		AtomicInteger asked = new AtomicInteger();
		try (ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
				KubernetesClient client = client("http://127.0.0.1:" + server.getLocalPort(), null)) {
			ApiRequests guarded = new ApiRequests(client, (request) -> () -> {
				asked.incrementAndGet();
				throw new IllegalStateException("planned");
			});
			assertThat(guarded.send(ApiRequest.of("POST", "/api/v1/namespaces", MediaTypes.JSON, "{}")))
				.failsWithin(LONG)
				.withThrowableOfType(Exception.class)
				.withCauseInstanceOf(NotSentException.class);
			assertThat(asked).hasPositiveValue();
		}
	}

	@Test
	void aGuardOrAThrottleThatBreaksFailsTheFuture() {
		try (KubernetesClient client = client(null)) {
			ApiRequests guarded = new ApiRequests(client, (request) -> {
				throw new IllegalStateException("planned");
			});
			assertThat(guarded.send(GET)).failsWithin(LONG)
				.withThrowableOfType(Exception.class)
				.withCauseInstanceOf(NotSentException.class);
			KubernetesClient throttled = ThrottledClient.of(client, (request) -> {
				throw new IllegalStateException("planned");
			});
			assertThat(new ApiRequests(throttled).send(GET)).failsWithin(LONG)
				.withThrowableOfType(Exception.class)
				.withCauseInstanceOf(NotSentException.class);
			assertThat(throttled.getHttpClient()
				.sendAsync(throttled.getHttpClient().newHttpRequestBuilder().uri(client.getMasterUrl() + "api").build(),
						String.class))
				.failsWithin(LONG)
				.withThrowableOfType(Exception.class)
				.withMessageContaining("planned");
		}
	}

	@Test
	void ofAWriteWhoseSendingThrowsTheGuardHearsThatNothingWasSent() {
		List<Boolean> known = new CopyOnWriteArrayList<>();
		RequestGuard guard = new RequestGuard() {

			@Override
			public Runnable admit(ApiRequest request) {
				return () -> {
				};
			}

			@Override
			public Consumer<Boolean> sending(ApiRequest request) {
				return known::add;
			}

		};
		try (KubernetesClient broken = client(new Interceptor() {

			@Override
			public void before(BasicBuilder builder, HttpRequest request, RequestTags tags) {
				throw new IllegalStateException("planned");
			}

		})) {
			KubernetesClient guarded = GuardedClient.of(broken, guard, UnaryOperator.identity());
			Throwable failure = catchThrowable(() -> guarded.configMaps()
				.inNamespace("default")
				.resource(new ConfigMapBuilder().withNewMetadata().withName("a").endMetadata().build())
				.create());
			assertThat(failure).hasStackTraceContaining("planned");
			assertThat(known).containsExactly(true);
		}
	}

	@Test
	void aSlowSendAfterAWaitHoldsUpNoTimer() throws InterruptedException {
		CountDownLatch sending = new CountDownLatch(1);
		CountDownLatch slow = new CountDownLatch(1);
		try (KubernetesClient blocking = client(new Interceptor() {

			@Override
			public void before(BasicBuilder builder, HttpRequest request, RequestTags tags) {
				sending.countDown();
				awaitQuietly(slow);
			}

		})) {
			CompletableFuture<Void> admitted = new CompletableFuture<>();
			KubernetesClient throttled = ThrottledClient.of(blocking, throttle(admitted));
			CompletableFuture<ApiResponse> answer = new ApiRequests(throttled).send(GET);
			CompletableFuture<?> other = throttled.getHttpClient()
				.sendAsync(
						throttled.getHttpClient().newHttpRequestBuilder().uri(blocking.getMasterUrl() + "api").build(),
						String.class);
			admitted.completeOnTimeout(null, 1, TimeUnit.MILLISECONDS);
			assertThat(sending.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
			assertThat(new CompletableFuture<Void>().completeOnTimeout(null, 1, TimeUnit.MILLISECONDS))
				.succeedsWithin(LONG);
			slow.countDown();
			assertThat(answer).failsWithin(LONG).withThrowableOfType(ExecutionException.class);
			assertThat(other).failsWithin(LONG).withThrowableOfType(ExecutionException.class);
		}
		finally {
			slow.countDown();
		}
	}

	@Test
	void slowSendsHoldUpNoTimeOut() throws IOException, InterruptedException {
		CountDownLatch sending = new CountDownLatch(8);
		CountDownLatch slow = new CountDownLatch(1);
		try (ServerSocket silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
				KubernetesClient other = client("http://127.0.0.1:" + silent.getLocalPort(), null);
				KubernetesClient blocking = client(new Interceptor() {

					@Override
					public void before(BasicBuilder builder, HttpRequest request, RequestTags tags) {
						sending.countDown();
						awaitQuietly(slow);
					}

				})) {
			CompletableFuture<Void> admitted = new CompletableFuture<>();
			ApiRequests limited = new ApiRequests(ThrottledClient.of(blocking, throttle(admitted)));
			for (int i = 0; i < 20; i++) {
				limited.send(GET);
			}
			// Only now, or this thread would send what need not wait any more.
			admitted.completeOnTimeout(null, 1, TimeUnit.MILLISECONDS);
			assertThat(sending.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
			assertThat(new ApiRequests(other).send(GET.timeout(Duration.ofMillis(10)))).failsWithin(LONG)
				.withThrowableOfType(Exception.class)
				.withMessageContaining("no answer within 10 ms");
		}
		finally {
			slow.countDown();
		}
	}

	@Test
	void aThrottledClientKeepsTheTaskExecutor() {
		List<Runnable> tasks = new CopyOnWriteArrayList<>();
		try (KubernetesClient client = new KubernetesClientBuilder()
			.withConfig(new ConfigBuilder(Config.empty()).withMasterUrl("http://127.0.0.1:1").build())
			.withTaskExecutor(tasks::add)
			.build()) {
			KubernetesClient throttled = ThrottledClient.of(client, RequestThrottle.NONE);
			throttled.adapt(BaseClient.class).getExecutor().execute(() -> {
			});
			assertThat(tasks).hasSize(1);
		}
	}

	private static void awaitQuietly(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private RequestThrottle throttle(CompletableFuture<Void> admitted) {
		return (request) -> new Passage() {

			@Override
			public CompletableFuture<Void> admitted() {
				return admitted;
			}

			@Override
			public void received(ByteBuffer chunk) {
				// Nothing is counted.
			}

			@Override
			public void ended(@Nullable Throwable failure) {
				BrokenSendingTests.this.ended.add(String.valueOf(failure));
			}

		};
	}

	private static KubernetesClient client(@Nullable Interceptor interceptor) {
		return client("http://127.0.0.1:1", interceptor);
	}

	private static KubernetesClient client(String url, @Nullable Interceptor interceptor) {
		Config config = new ConfigBuilder(Config.empty()).withMasterUrl(url).withRequestRetryBackoffLimit(0).build();
		return new KubernetesClientBuilder().withConfig(config).withHttpClientBuilderConsumer((builder) -> {
			if (interceptor != null) {
				builder.addOrReplaceInterceptor("planned", interceptor);
			}
		}).build();
	}

}
