package dev.sharding.internal.kubernetes.rest;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.http.BasicBuilder;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.http.Interceptor;
import io.netty.channel.EventLoop;
import io.vertx.core.Vertx;
import io.vertx.core.impl.ContextInternal;
import io.vertx.core.impl.VertxInternal;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.sharding.client.ApiException;
import dev.sharding.client.NotSentException;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.internal.kubernetes.rest.http.MediaTypes;
import dev.sharding.internal.kubernetes.rest.http.RequestGuard;
import dev.sharding.resource.ResourceType;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TcpProxy;
import dev.sharding.test.TestNamespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * A guard is asked for every attempt, right before its first byte.
 */
@ControlPlaneTest
class GuardedRequestsIT {

	private static final ResourceType<ConfigMap> CONFIG_MAPS = ResourceType.of(ConfigMap.class);

	private final AtomicInteger admitted = new AtomicInteger();

	private final AtomicInteger asked = new AtomicInteger();

	private final AtomicBoolean closed = new AtomicBoolean();

	private final RequestGuard guard = (request) -> {
		this.admitted.incrementAndGet();
		refuseIfClosed();
		return () -> {
			this.asked.incrementAndGet();
			refuseIfClosed();
		};
	};

	private final KubernetesClient client;

	private final String namespace;

	GuardedRequestsIT(KubernetesClient client, @TestNamespace String namespace) {
		this.client = client;
		this.namespace = namespace;
	}

	@Test
	void guardedWritesArriveWhole() {
		ApiRequests requests = new ApiRequests(this.client, this.guard);
		String value = "äß€".repeat(50_000);
		ConfigMap large = configMap("large", value);
		requests.call(ApiRequest.of("POST", CONFIG_MAPS.path(this.namespace, null), MediaTypes.JSON,
				this.client.getKubernetesSerialization().asJson(large)));
		assertThat(this.client.resource(large).get().getData()).containsEntry("key", value);
		requests.call(ApiRequest.of("DELETE", CONFIG_MAPS.path(this.namespace, "large"), MediaTypes.JSON, "{}"));
		assertThat(this.client.resource(large).get()).isNull();
		assertThat(this.admitted).hasValue(2);
		assertThat(this.asked).hasValue(2);
	}

	@Test
	void sendsNothingOfWhatIsRefusedAtFirst() {
		this.closed.set(true);
		ApiRequests requests = new ApiRequests(this.client, this.guard);
		assertThat(catchThrowableOfType(NotSentException.class, () -> requests.call(create("refused")))).isNotNull();
		assertThat(this.asked).hasValue(0);
		assertThat(exists("refused")).isFalse();
	}

	@Test
	void asksForThePermissionOfTheRequestItselfToo() {
		ApiRequests requests = new ApiRequests(this.client, this.guard);
		AtomicInteger own = new AtomicInteger();
		requests.send(create("permitted"), own::incrementAndGet).orTimeout(60, TimeUnit.SECONDS).join();
		assertThat(this.asked).hasValue(1);
		assertThat(own).hasValue(1);
		assertThat(refusal(requests.send(create("kept"), () -> {
			throw new NotSentException("not permitted");
		}))).hasMessage("not permitted");
		assertThat(refusal(new ApiRequests(this.client).send(create("kept"), () -> {
			throw new NotSentException("not permitted");
		}))).hasMessage("not permitted");
		assertThat(exists("kept")).isFalse();
	}

	/*
	 * The transport's own resend, as after a 401, passes no Interceptor.before. It may
	 * meet the connection of the answer that the transport throws away, and closes.
	 */
	@Test
	void asksForAResendThatPassesNoInterceptor() {
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.until(() -> resent("once-" + System.nanoTime()), (conflict) -> conflict.status() == 409);
	}

	private ApiException resent(String name) {
		this.admitted.set(0);
		this.asked.set(0);
		AtomicInteger befores = new AtomicInteger();
		AtomicInteger resends = new AtomicInteger();
		try (KubernetesClient resending = resending(befores, resends::incrementAndGet)) {
			ApiRequests requests = new ApiRequests(resending, this.guard);
			requests.call(create(name));
			ApiException conflict = catchThrowableOfType(ApiException.class, () -> requests.call(create(name)));
			// It may be the first time that this one has met.
			assertThat(conflict.isWithoutEffect()).isFalse();
			assertThat(resends).hasValue(1);
			assertThat(befores).hasValue(2);
			assertThat(this.admitted).hasValue(2);
			assertThat(this.asked).hasValue(3);
			return conflict;
		}
	}

	/* The first time may have had its effect. */
	@Test
	void aResendThatIsRefusedIsNotTheSameAsNothingSent() {
		try (KubernetesClient resending = resending(new AtomicInteger(), () -> this.closed.set(true))) {
			ApiRequests requests = new ApiRequests(resending, this.guard);
			requests.call(create("twice"));
			ApiException unknown = catchThrowableOfType(ApiException.class, () -> requests.call(create("twice")));
			assertThat(unknown.isAnswered()).isFalse();
			assertThat(unknown.isWithoutEffect()).isFalse();
			assertThat(unknown).hasCauseInstanceOf(NotSentException.class).hasMessageContaining("planned");
			assertThat(this.admitted).hasValue(2);
			assertThat(this.asked).hasValue(3);
		}
	}

	/* For as long as a request may take, it would be of no use to anybody. */
	@Test
	void aLateRefusalHoldsNoConnection(ControlPlane cluster) {
		try (TcpProxy proxy = TcpProxy.to(cluster.apiServer());
				KubernetesClient fresh = cluster.admin().through(proxy).client()) {
			ApiRequests late = new ApiRequests(fresh, (request) -> () -> {
				throw new NotSentException("planned");
			});
			int refusals = 20;
			for (int i = 0; i < refusals; i++) {
				assertThat(refusal(late.send(create("held")))).hasMessage("planned");
			}
			// Some more than one: the caller hears of it before the connection is free.
			assertThat(proxy.connections()).isLessThanOrEqualTo(refusals / 2);
			new ApiRequests(fresh).call(create("not-held"));
			assertThat(exists("held")).isFalse();
			assertThat(proxy.connections()).isLessThanOrEqualTo(refusals / 2);
		}
	}

	@Test
	void isNotRepeatedByTheTransport(ControlPlane cluster) {
		try (TcpProxy proxy = TcpProxy.to(cluster.apiServer());
				KubernetesClient eager = new KubernetesClientBuilder()
					.withConfig(
							new ConfigBuilder(cluster.admin().through(proxy).config()).withRequestRetryBackoffLimit(10)
								.withRequestRetryBackoffInterval(10)
								.build())
					.build()) {
			ApiRequests requests = new ApiRequests(eager, this.guard);
			// The write must find an idle connection: a new one could not even be
			// greeted.
			List<CompletableFuture<ApiResponse>> answers = new ArrayList<>();
			for (int i = 0; i < 4; i++) {
				answers.add(requests.send(ApiRequest.of("GET", "/version")));
			}
			answers.forEach(CompletableFuture::join);
			this.admitted.set(0);
			proxy.pauseResponses();
			CompletableFuture<ApiResponse> write = requests.send(create("cut"));
			Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> exists("cut"));
			proxy.cut();
			proxy.heal();
			CompletionException thrown = catchThrowableOfType(CompletionException.class,
					() -> write.orTimeout(60, TimeUnit.SECONDS).join());
			assertThat(ApiException.of(thrown).isAnswered()).isFalse();
			assertThat(this.admitted).hasValue(1);
			assertThat(this.asked).hasValue(1);
			// The user's client stays as it is.
			assertThat(eager.getConfiguration().getRequestRetryBackoffLimit()).isEqualTo(10);
		}
	}

	@Test
	void aWriteThatWaitsForItsConnectionIsAskedWhenThatIsThere(ControlPlane cluster) {
		try (TcpProxy proxy = TcpProxy.to(cluster.apiServer());
				KubernetesClient fresh = cluster.admin().through(proxy).client()) {
			ApiRequests requests = new ApiRequests(fresh, this.guard);
			proxy.pause();
			CompletableFuture<ApiResponse> write = requests.send(create("late"));
			Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> proxy.connections() > 0);
			assertThat(this.asked).hasValue(0);
			this.closed.set(true);
			proxy.heal();
			assertThat(refusal(write)).hasMessage("planned");
			assertThat(this.asked).hasValue(1);
			// The connection that saw no byte of it is no worse for that.
			new ApiRequests(fresh).call(ApiRequest.of("GET", "/version"));
			assertThat(exists("late")).isFalse();
		}
	}

	@Test
	void aRefusedConnectionSendsNothing(ControlPlane cluster) {
		try (TcpProxy proxy = TcpProxy.to(cluster.apiServer());
				KubernetesClient fresh = cluster.admin().through(proxy).client()) {
			ApiRequests requests = new ApiRequests(fresh, this.guard);
			proxy.refuse();
			CompletableFuture<ApiResponse> write = requests.send(create("refused"));
			CompletionException thrown = catchThrowableOfType(CompletionException.class,
					() -> write.orTimeout(60, TimeUnit.SECONDS).join());
			assertThat(ApiException.of(thrown).isAnswered()).isFalse();
			assertThat(this.asked).hasValue(0);
			assertThat(exists("refused")).isFalse();
			proxy.heal();
			requests.call(create("refused"));
			assertThat(exists("refused")).isTrue();
			assertThat(this.asked).hasValue(1);
		}
	}

	/*
	 * What an API server does that goes down: the connections of HTTP/1.1, which is all
	 * that this transport speaks, end while nobody uses them.
	 */
	@Test
	void isAskedOnceWhereTheConnectionsEndedUnused(ControlPlane cluster) {
		try (TcpProxy proxy = TcpProxy.to(cluster.apiServer());
				KubernetesClient fresh = cluster.admin().through(proxy).client()) {
			ApiRequests requests = new ApiRequests(fresh, this.guard);
			for (int i = 0; i < 20; i++) {
				ApiResponse version = requests.call(ApiRequest.of("GET", "/version"));
				assertThat(version.status()).isEqualTo(200);
				proxy.cut();
				proxy.heal();
				this.asked.set(0);
				String name = "after-the-end-" + i;
				try {
					requests.call(create(name));
					assertThat(exists(name)).isTrue();
				}
				catch (ApiException ex) {
					// The end was on its way: nobody can know, and nothing is sent again.
					assertThat(ex.isAnswered()).isFalse();
				}
				assertThat(this.asked.get()).isLessThanOrEqualTo(1);
			}
		}
	}

	/*
	 * The event loop was once blocked for longer than a Lease, between the last look on
	 * another thread and the socket.
	 */
	@Test
	void nothingBlocksWhatPassedItsLastLook() throws InterruptedException {
		CountDownLatch blocked = new CountDownLatch(1);
		CountDownLatch release = new CountDownLatch(1);
		List<String> looks = new CopyOnWriteArrayList<>();
		try (KubernetesClient own = new KubernetesClientBuilder().withConfig(this.client.getConfiguration()).build()) {
			ApiRequests requests = new ApiRequests(own, (request) -> () -> {
				looks.add(Thread.currentThread().getName());
				EventLoop loop = ((ContextInternal) Vertx.currentContext()).nettyEventLoop();
				loop.execute(() -> {
					blocked.countDown();
					await(release);
				});
				if (!loop.inEventLoop()) {
					await(blocked);
				}
			});
			CompletableFuture<ApiResponse> write = requests.send(create("looked-at"));
			assertThat(blocked.await(60, TimeUnit.SECONDS)).isTrue();
			try {
				// The right to write may end from here on: it must have gone before.
				Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> exists("looked-at"));
			}
			finally {
				release.countDown();
			}
			write.orTimeout(60, TimeUnit.SECONDS).join();
			assertThat(looks).singleElement().asString().contains("eventloop");
		}
	}

	/*
	 * A connection may have been opened for a thread that is served by another event
	 * loop.
	 */
	@Test
	void nothingBlocksWhatPassedItsLastLookOverAConnectionOfAnother() throws InterruptedException {
		try (KubernetesClient own = new KubernetesClientBuilder().withConfig(this.client.getConfiguration()).build()) {
			new ApiRequests(own).call(ApiRequest.of("GET", CONFIG_MAPS.path(this.namespace, null)));
			for (int i = 0; i < 8; i++) {
				String name = "over-another-" + i;
				CountDownLatch release = new CountDownLatch(1);
				ApiRequests requests = new ApiRequests(own, (request) -> () -> blockOthers(release));
				AtomicReference<CompletableFuture<ApiResponse>> write = new AtomicReference<>();
				Thread writer = new Thread(() -> write.set(requests.send(create(name))));
				writer.start();
				writer.join();
				try {
					Awaitility.await().atMost(Duration.ofSeconds(10)).until(() -> exists(name));
				}
				finally {
					release.countDown();
				}
				write.get().orTimeout(60, TimeUnit.SECONDS).join();
			}
		}
	}

	private static void blockOthers(CountDownLatch release) {
		EventLoop here = ((ContextInternal) Vertx.currentContext()).nettyEventLoop();
		((VertxInternal) Vertx.currentContext().owner()).getEventLoopGroup().forEach((loop) -> {
			if (loop != here && !loop.isShuttingDown()) {
				CountDownLatch blocked = new CountDownLatch(1);
				loop.execute(() -> {
					blocked.countDown();
					await(release);
				});
				await(blocked);
			}
		});
	}

	/* Not even an empty one: of a delete, the API server asks for no more. */
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void sendsNothingOfADeleteThatIsRefusedLate(boolean withBody) {
		ApiRequests requests = new ApiRequests(this.client, this.guard);
		String name = "to-delete-" + withBody;
		requests.call(create(name));
		String path = CONFIG_MAPS.path(this.namespace, name);
		ApiRequest delete = withBody ? ApiRequest.of("DELETE", path, MediaTypes.JSON, "{}")
				: ApiRequest.of("DELETE", path);
		RequestGuard late = (request) -> () -> {
			throw new NotSentException("planned");
		};
		assertThat(refusal(new ApiRequests(this.client, late).send(delete))).hasMessage("planned");
		Awaitility.await().during(Duration.ofSeconds(1)).atMost(Duration.ofSeconds(60)).until(() -> exists(name));
		requests.call(delete);
		assertThat(exists(name)).isFalse();
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await(60, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private NotSentException refusal(CompletableFuture<?> write) {
		CompletionException thrown = catchThrowableOfType(CompletionException.class,
				() -> write.orTimeout(60, TimeUnit.SECONDS).join());
		assertThat(thrown).hasCauseInstanceOf(NotSentException.class);
		return (NotSentException) thrown.getCause();
	}

	private void refuseIfClosed() {
		if (this.closed.get()) {
			throw new NotSentException("planned");
		}
	}

	/** A client that answers a conflict by sending the request once more. */
	private KubernetesClient resending(AtomicInteger befores, Runnable onResend) {
		AtomicBoolean resent = new AtomicBoolean();
		Interceptor interceptor = new Interceptor() {

			@Override
			public void before(BasicBuilder builder, HttpRequest request, RequestTags tags) {
				befores.incrementAndGet();
			}

			@Override
			public CompletableFuture<Boolean> afterFailure(BasicBuilder builder, HttpResponse<?> response,
					RequestTags tags) {
				boolean again = response.code() == 409 && resent.compareAndSet(false, true);
				if (again) {
					onResend.run();
				}
				return CompletableFuture.completedFuture(again);
			}

		};
		return new KubernetesClientBuilder().withConfig(this.client.getConfiguration())
			.withHttpClientBuilderConsumer((builder) -> builder.addOrReplaceInterceptor("resend", interceptor))
			.build();
	}

	private ApiRequest create(String name) {
		return ApiRequest.of("POST", CONFIG_MAPS.path(this.namespace, null), MediaTypes.JSON,
				this.client.getKubernetesSerialization().asJson(configMap(name, "value")));
	}

	private boolean exists(String name) {
		return this.client.configMaps().inNamespace(this.namespace).withName(name).get() != null;
	}

	private ConfigMap configMap(String name, String value) {
		return new ConfigMapBuilder().withNewMetadata()
			.withNamespace(this.namespace)
			.withName(name)
			.endMetadata()
			.withData(Map.of("key", value))
			.build();
	}

}
