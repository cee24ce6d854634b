package dev.sharding.internal.kubernetes.rest;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

import dev.sharding.client.ApiException;
import dev.sharding.internal.kubernetes.resource.ResourceAbsentException;
import dev.sharding.internal.kubernetes.resource.ResourceDiscovery;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.internal.kubernetes.rest.http.MediaTypes;
import dev.sharding.resource.GroupResource;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TcpProxy;
import dev.sharding.test.TestNamespace;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

@ControlPlaneTest
class ApiRequestsIT {

	private static final ResourceType<ConfigMap> CONFIG_MAPS = ResourceType.of(ConfigMap.class);

	private final KubernetesClient client;

	private final String namespace;

	private final ApiRequests requests;

	ApiRequestsIT(KubernetesClient client, @TestNamespace String namespace) {
		this.client = client;
		this.namespace = namespace;
		this.requests = new ApiRequests(client);
	}

	@Test
	void patchesWithTheResourceVersionAsPrecondition() {
		ConfigMap created = create("patched", "value");
		String version = created.getMetadata().getResourceVersion();
		ApiRequest patch = patch("patched",
				"{\"metadata\":{\"resourceVersion\":\"" + version + "\",\"labels\":{\"a\":\"b\"}}}");
		assertThat(this.requests.send(patch).join().text()).contains("\"a\":\"b\"");
		ApiException conflict = failure(this.requests.send(patch));
		assertThat(conflict.status()).isEqualTo(409);
		assertThat(conflict.reason()).isEqualTo("Conflict");
		assertThat(conflict)
			.hasMessageStartingWith("Failed to PATCH configmaps %s/patched: 409 Conflict (".formatted(this.namespace));
	}

	@Test
	void sendsNothingFromAnInterruptedThread() {
		for (int i = 0; i < 20; i++) {
			String body = "{\"metadata\":{\"name\":\"interrupted-%d\"}}".formatted(i);
			Thread.currentThread().interrupt();
			ApiException failure = catchThrowableOfType(ApiException.class, () -> this.requests
				.call(ApiRequest.of("POST", CONFIG_MAPS.path(this.namespace, null), MediaTypes.JSON, body)));
			assertThat(Thread.interrupted()).isTrue();
			assertThat(failure.isAnswered()).isFalse();
		}
		await().during(Duration.ofSeconds(1))
			.atMost(Duration.ofSeconds(30))
			.untilAsserted(() -> assertThat(this.client.configMaps().inNamespace(this.namespace).list().getItems())
				.noneMatch((configMap) -> configMap.getMetadata().getName().startsWith("interrupted-")));
	}

	@Test
	void appliesServerSide() {
		ApiRequest apply = ApiRequest.of("PATCH", CONFIG_MAPS.path(this.namespace, "applied"), MediaTypes.APPLY_PATCH,
				"{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"applied\"},\"data\":{\"k\":\"größe\"}}")
			.query("fieldManager", "test")
			.query("force", "true");
		assertThat(this.requests.send(apply).join().status()).isEqualTo(201);
		assertThat(this.client.configMaps().inNamespace(this.namespace).withName("applied").get().getData())
			.containsEntry("k", "größe");
	}

	@Test
	void deletes() {
		create("deleted", "value");
		String path = CONFIG_MAPS.path(new ObjectKey(this.namespace, "deleted"));
		this.requests.send(ApiRequest.of("DELETE", path)).join();
		assertThat(failure(this.requests.send(ApiRequest.of("DELETE", path))).status()).isEqualTo(404);
	}

	@Test
	void collectsLargeAnswers() {
		String large = "größe".repeat(100_000);
		create("large", large);
		String text = this.requests.send(ApiRequest.of("GET", CONFIG_MAPS.path(this.namespace, "large"))).join().text();
		assertThat(text).contains(large);
	}

	@Test
	void readsMetadataOnly() {
		create("metadata", "not on the wire");
		String text = this.requests
			.send(ApiRequest.of("GET", CONFIG_MAPS.path(this.namespace, null)).accept(MediaTypes.METADATA_LIST))
			.join()
			.text();
		assertThat(text).contains("PartialObjectMetadataList").doesNotContain("not on the wire");
	}

	@Test
	void givesUpAfterItsTimeOutAndTellsThatTheOutcomeIsUnknown(ControlPlane cluster) {
		create("silent", "value");
		try (TcpProxy proxy = TcpProxy.to(cluster.apiServer())) {
			ApiRequests slow = new ApiRequests(cluster.admin().through(proxy).client());
			// A connection that is idle and known, so that only the answer can be late.
			await().atMost(Duration.ofSeconds(60)).until(() -> {
				int before = proxy.connections();
				slow.send(ApiRequest.of("GET", "/version")).join();
				return before > 0 && proxy.connections() == before;
			});
			proxy.pauseResponses();
			ApiException timeout = failure(slow.send(
					patch("silent", "{\"metadata\":{\"labels\":{\"done\":\"yes\"}}}").timeout(Duration.ofMillis(500))));
			assertThat(timeout.isAnswered()).isFalse();
			assertThat(timeout)
				.hasMessage("Failed to PATCH configmaps %s/silent: no answer within 500 ms".formatted(this.namespace));
			await().atMost(Duration.ofSeconds(60))
				.until(() -> this.client.configMaps()
					.inNamespace(this.namespace)
					.withName("silent")
					.get()
					.getMetadata()
					.getLabels() != null);
		}
	}

	@Test
	void keepsItsConnections(ControlPlane cluster) {
		try (TcpProxy proxy = TcpProxy.to(cluster.apiServer())) {
			ApiRequests sequential = new ApiRequests(cluster.admin().through(proxy).client());
			for (int i = 0; i < 50; i++) {
				sequential.send(ApiRequest.of("GET", "/version")).join();
				ApiException missing = failure(
						sequential.send(ApiRequest.of("GET", CONFIG_MAPS.path(this.namespace, "missing"))));
				assertThat(missing.status()).isEqualTo(404);
			}
			assertThat(proxy.connections()).isBetween(1, 4);
		}
	}

	@Test
	void asksOnlyOnce(ControlPlane cluster) {
		try (TcpProxy proxy = TcpProxy.to(cluster.apiServer())) {
			ApiRequests refused = new ApiRequests(cluster.admin().through(proxy).client());
			proxy.refuse();
			ApiException failure = failure(refused.send(ApiRequest.of("GET", "/version")));
			assertThat(failure.status()).isZero();
			assertThat(failure).hasMessageStartingWith("Failed to GET /version: ");
		}
	}

	@Test
	void endsAnExchangeThatIsCancelled(ControlPlane cluster) {
		try (TcpProxy proxy = TcpProxy.to(cluster.apiServer())) {
			ApiRequests paused = new ApiRequests(cluster.admin().through(proxy).client());
			proxy.pauseResponses();
			CompletableFuture<ApiResponse> future = paused.send(ApiRequest.of("GET", "/version"));
			future.cancel(true);
			assertThat(future).isCancelled();
			proxy.heal();
			paused.send(ApiRequest.of("GET", "/version")).orTimeout(60, TimeUnit.SECONDS).join();
		}
	}

	@Test
	void failsOnAClosedClient(ControlPlane cluster) {
		KubernetesClient closed = cluster.admin().client();
		ApiRequests late = new ApiRequests(closed);
		closed.close();
		assertThat(failure(late.send(ApiRequest.of("GET", "/version"))).isAnswered()).isFalse();
	}

	@Test
	void streamsLinesUntilTheEndAndAfterAClose() throws Exception {
		create("streamed", "value");
		ApiRequest watch = ApiRequest.of("GET", CONFIG_MAPS.path(this.namespace, null))
			.query("watch", "1")
			.query("timeoutSeconds", "2")
			.query("fieldSelector", "metadata.name=streamed");
		try (ApiStream stream = this.requests.open(watch).join()) {
			assertThat(new String(stream.nextLine(Duration.ofSeconds(60)))).startsWith("{\"type\":\"ADDED\"");
			assertThat(stream.nextLine(Duration.ofSeconds(60))).isNull();
			assertThat(stream.nextLine(Duration.ofSeconds(60))).isNull();
		}
		ApiStream closed = this.requests
			.open(ApiRequest.of("GET", CONFIG_MAPS.path(this.namespace, null))
				.query("watch", "1")
				.query("resourceVersion", "0")
				.query("fieldSelector", "metadata.name=streamed"))
			.join();
		closed.nextLine(Duration.ofSeconds(60));
		ApiException silent = catchThrowableOfType(ApiException.class, () -> closed.nextLine(Duration.ofMillis(1)));
		assertThat(silent.reason()).isEqualTo(ApiStream.SILENT);
		closed.close();
		ApiException ended = catchThrowableOfType(ApiException.class, () -> closed.nextLine(Duration.ofSeconds(60)));
		assertThat(ended).hasMessageContaining("closed");
	}

	@Test
	void refusesAStreamWithTheReason() {
		ApiException refused = failure(this.requests.open(ApiRequest.of("GET", CONFIG_MAPS.path(this.namespace, null))
			.query("watch", "1")
			.query("sendInitialEvents", "true")));
		assertThat(refused.status()).isEqualTo(422);
		assertThat(refused.reason()).isEqualTo("Invalid");
	}

	@Test
	void discoversResources() {
		ResourceDiscovery discovery = new ResourceDiscovery(this.client);
		assertThat(discovery.find(new GroupResource("", "configmaps")).join()).isEqualTo(CONFIG_MAPS.generic());
		assertThat(discovery.find(new GroupResource("", "namespaces")).join())
			.isEqualTo(ResourceType.of(Namespace.class).generic());
		assertThat(discovery.find(new GroupResource("apps", "deployments")).join().apiVersion()).isEqualTo("apps/v1");
		assertThat(catchThrowableOfType(CompletionException.class,
				() -> discovery.find(new GroupResource("absent.example", "things")).join()))
			.hasCauseInstanceOf(ResourceAbsentException.class)
			.hasMessageContaining("things.absent.example");
		assertThat(catchThrowableOfType(CompletionException.class,
				() -> discovery.find(new GroupResource("apps", "things")).join()))
			.hasCauseInstanceOf(ResourceAbsentException.class);
	}

	private ApiRequest patch(String name, String body) {
		return ApiRequest.of("PATCH", CONFIG_MAPS.path(this.namespace, name), MediaTypes.MERGE_PATCH, body);
	}

	private ConfigMap create(String name, String value) {
		return this.client
			.resource(new ConfigMapBuilder().withNewMetadata()
				.withNamespace(this.namespace)
				.withName(name)
				.endMetadata()
				.withData(Map.of("key", value))
				.build())
			.create();
	}

	private static ApiException failure(CompletableFuture<?> future) {
		CompletionException thrown = catchThrowableOfType(CompletionException.class,
				() -> future.orTimeout(60, TimeUnit.SECONDS).join());
		return ApiException.of(thrown);
	}

}
