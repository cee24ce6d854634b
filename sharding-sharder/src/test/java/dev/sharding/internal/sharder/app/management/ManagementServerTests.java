package dev.sharding.internal.sharder.app.management;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import javax.net.ssl.SSLSocket;

import dev.sharding.internal.sharder.app.SharderApplication;
import dev.sharding.internal.sharder.http.WebStack;
import dev.sharding.internal.sharder.tls.TestCertificates;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.util.MimeType;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Spring Boot's endpoints on our own listeners.
 */
class ManagementServerTests {

	private static final AtomicBoolean READY = new AtomicBoolean(true);

	private static final Semaphore HANGING = new Semaphore(0);

	private final HttpClient http = HttpClient.newHttpClient();

	private ConfigurableApplicationContext program;

	@AfterEach
	void close() {
		READY.set(true);
		if (this.program != null) {
			this.program.close();
		}
	}

	@Test
	void showsGroupsOfHealthWithTheirStatus() throws Exception {
		run();
		assertThat(get("/healthz").statusCode()).isEqualTo(200);
		assertThat(get("/readyz").statusCode()).isEqualTo(200);
		assertThat(get("/actuator/health").body()).contains("\"webhook\":{", "\"some\":\"detail\"", "\"liveness\"")
			.contains("\"status\":\"UP\"");
		READY.set(false);
		HttpResponse<String> down = get("/readyz");
		assertThat(down.statusCode()).isEqualTo(503);
		assertThat(down.body()).contains("\"readinessState\":{\"status\":\"UP\"}", "\"status\":\"DOWN\"",
				"\"some\":\"detail\"");
		assertThat(down.headers().firstValue("Content-Type").orElseThrow()).startsWith("application/").contains("json");
		assertThat(get("/actuator/health/readiness").statusCode()).isEqualTo(503);
		assertThat(get("/actuator/health/readiness/readinessState").statusCode()).isEqualTo(200);
		assertThat(get("/actuator/health/liveness").statusCode()).isEqualTo(200);
		assertThat(get("/healthz").body()).contains("livenessState").doesNotContain("webhook");
		assertThat(get("/actuator/health/nothing").statusCode()).isEqualTo(404);
	}

	@Test
	void isNotReadyFromTheMomentItIsToldToStop() throws Exception {
		run();
		assertThat(get("/readyz").statusCode()).isEqualTo(200);
		// What comes before all else is stopped.
		this.program.publishEvent(new ContextClosedEvent(this.program));
		assertThat(get("/readyz").statusCode()).isEqualTo(503);
		assertThat(get("/healthz").statusCode()).isEqualTo(200);
	}

	@Test
	void exposesWhatIsIncludedAndNothingElse() throws Exception {
		run();
		assertThat(get("/actuator").body())
			.contains("\"self\"", "\"health-path\"", "\"templated\":true",
					"http://127.0.0.1:" + port("server") + "/actuator/health")
			.doesNotContain("prometheus", "env");
		for (String path : List.of("/actuator/prometheus", "/actuator/env", "/", "/health", "/actuatorx")) {
			assertThat(get(path).statusCode()).as(path).isEqualTo(404);
		}
	}

	@Test
	void servesMetricsInTheFormatThatIsAccepted() throws Exception {
		run("--management.endpoints.web.exposure.include=prometheus,info,metrics");
		assertThat(get("/actuator/prometheus").body()).contains("# TYPE jvm_threads_live_threads gauge");
		HttpResponse<String> open = send(request("/actuator/prometheus")
			.header("Accept", "application/openmetrics-text; version=1.0.0; charset=utf-8")
			.build());
		assertThat(open.body()).endsWith("# EOF\n");
		assertThat(open.headers().firstValue("Content-Type").orElseThrow()).startsWith("application/openmetrics-text");
		assertThat(get("/actuator/prometheus?includedNames=jvm_threads_live_threads").body())
			.contains("jvm_threads_live_threads")
			.doesNotContain("jvm_memory");
		assertThat(get("/actuator/metrics/jvm.memory.used?tag=area:heap&tag=id:none").statusCode()).isEqualTo(404);
		assertThat(get("/actuator/metrics/jvm.memory.used?tag=area:heap").body()).contains("\"jvm.memory.used\"");
		assertThat(get("/actuator/info").body()).isEqualTo("{}");
		// Its paths go with it.
		assertThat(get("/readyz").statusCode()).isEqualTo(404);
	}

	@Test
	void callsOperationsOfOtherEndpoints() throws Exception {
		run("--management.endpoints.web.exposure.include=sample", "--management.endpoints.web.base-path=/manage",
				"--management.endpoints.web.path-mapping.sample=an-example");
		String path = "/manage/an-example";
		assertThat(get(path).body()).isEqualTo("{\"all\":true}");
		assertThat(get(path + "/a%20b?times=2").body()).isEqualTo("{\"name\":\"a b\",\"times\":2}");
		assertThat(get(path + "/later").body()).isEqualTo("{\"later\":true}");
		assertThat(get(path + "/none").statusCode()).isEqualTo(404);
		assertThat(get(path + "/bad").statusCode()).isEqualTo(400);
		assertThat(get(path + "/bad").body()).contains("not this one");
		assertThat(get(path + "/a?times=many").statusCode()).isEqualTo(400);
		assertThat(get(path + "/fails").statusCode()).isEqualTo(500);
		assertThat(raw(path + "/%zz")).isEqualTo("HTTP/1.1 400");
		assertThat(raw(path + "?a=%zz")).isEqualTo("HTTP/1.1 400");
		HttpResponse<String> yaml = get(path + "/yaml");
		assertThat(yaml.body()).isEqualTo("a: b");
		assertThat(yaml.headers().firstValue("Content-Type")).contains("application/yaml");
		assertThat(post(path + "/a", "{\"text\":\"b\"}", "application/json").body()).isEqualTo("{\"a\":\"b\"}");
		assertThat(post(path + "/a", "{\"text\"", "application/json").statusCode()).isEqualTo(400);
		assertThat(post(path + "/a", "{}", "application/json").statusCode()).isEqualTo(400);
		assertThat(post(path + "/a", "null", "application/json").statusCode()).isEqualTo(400);
		assertThat(post(path + "/a", " ", "application/json").statusCode()).isEqualTo(400);
		assertThat(post(path + "/a", "[\"text\"]", "application/json").statusCode()).isEqualTo(400);
		assertThat(post(path + "/a", "text=b", "text/plain").statusCode()).isEqualTo(415);
		assertThat(send(request(path + "/a").DELETE().build()).statusCode()).isEqualTo(204);
		assertThat(send(request(path).DELETE().build()).statusCode()).isEqualTo(405);
		assertThat(send(request(path).method("PATCH", BodyPublishers.noBody()).build()).statusCode()).isEqualTo(405);
		HttpResponse<String> head = send(request(path).method("HEAD", BodyPublishers.noBody()).build());
		assertThat(head.statusCode()).isEqualTo(200);
		assertThat(head.body()).isEmpty();
		assertThat(send(request(path).header("Accept", "text/html").build()).statusCode()).isEqualTo(406);
		assertThat(send(request(path).header("Accept", "text/html, */*;q=0.1").build()).statusCode()).isEqualTo(200);
	}

	/* Who may do something is asked about the path alone. */
	@Test
	void neitherQueryNorBodySayAnythingElseThanThePath() throws Exception {
		run("--management.endpoints.web.exposure.include=health,sample");
		String path = "/actuator/sample/a";
		assertThat(get(path + "?times=2&name=b").body()).isEqualTo("{\"name\":\"a\",\"times\":2}");
		assertThat(get(path + "?times=2&name=b&name=c").body()).isEqualTo("{\"name\":\"a\",\"times\":2}");
		assertThat(post(path + "?name=b", "{\"text\":\"c\"}", "application/json").body()).isEqualTo("{\"a\":\"c\"}");
		assertThat(post(path, "{\"text\":\"c\",\"name\":\"b\"}", "application/json").body()).isEqualTo("{\"a\":\"c\"}");
		assertThat(get("/actuator/health/readiness?path=liveness").body()).contains("readinessState");
	}

	@ParameterizedTest
	@ValueSource(strings = { "never", "hangs" })
	void anEndpointThatDoesNotAnswerEndsInTimeAndKeepsNobodyElse(String name) throws Exception {
		run("--management.endpoints.web.exposure.include=health,sample",
				"--sharding.sharder.management.answer-timeout=500ms");
		HANGING.drainPermits();
		try {
			HttpResponse<String> late = get("/actuator/sample/" + name);
			assertThat(late.statusCode()).isEqualTo(503);
			assertThat(late.headers().firstValue("Retry-After")).contains("1");
			// The first one loads what it needs, within the same time.
			await().atMost(Duration.ofSeconds(60))
				.untilAsserted(() -> assertThat(get("/readyz").statusCode()).isEqualTo(200));
		}
		finally {
			HANGING.release();
		}
	}

	@Test
	void whatNeverAnswersTakesNoPlaceForGood() throws Exception {
		run("--management.endpoints.web.exposure.include=health,sample",
				"--sharding.sharder.management.answer-timeout=100ms");
		List<CompletableFuture<HttpResponse<String>>> late = new ArrayList<>();
		for (int i = 0; i < 70; i++) {
			late.add(this.http.sendAsync(request("/actuator/sample/never").build(), BodyHandlers.ofString()));
		}
		for (CompletableFuture<HttpResponse<String>> one : late) {
			assertThat(one.get(60, TimeUnit.SECONDS).statusCode()).isEqualTo(503);
		}
		Awaitility.await()
			.atMost(Duration.ofSeconds(60))
			.untilAsserted(() -> assertThat(get("/actuator/sample").statusCode()).isEqualTo(200));
	}

	@Test
	void keepsAccessOfOperations() throws Exception {
		run("--management.endpoints.web.exposure.include=sample", "--management.endpoint.sample.access=read-only");
		assertThat(get("/actuator/sample").statusCode()).isEqualTo(200);
		assertThat(post("/actuator/sample/a", "{\"text\":\"b\"}", "application/json").statusCode()).isEqualTo(405);
	}

	@Test
	void withAPortOfItsOwnManagementLeavesTheMainOneToProbes() throws Exception {
		run("--management.server.port=0", "--management.server.address=127.0.0.1");
		assertThat(get("/readyz").statusCode()).isEqualTo(200);
		assertThat(get("/actuator/health").statusCode()).isEqualTo(404);
		String management = port("management.server");
		assertThat(management).isNotEqualTo(port("server"));
		assertThat(get(management, "/actuator/health").statusCode()).isEqualTo(200);
		assertThat(get(management, "/readyz").statusCode()).isEqualTo(404);
	}

	@ParameterizedTest
	@CsvSource({ "server, management.server", "management.server, server" })
	void canDoWithoutAPort(String without, String with) throws Exception {
		run("--" + with + ".port=0", "--" + with + ".address=127.0.0.1", "--" + without + ".port=-1");
		assertThat(this.program.getEnvironment().getProperty("local." + without + ".port")).isNull();
		assertThat(port(with)).isNotNull();
	}

	@Test
	void saysWhatToDoAboutAPortThatIsTaken() throws Exception {
		try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			assertThatExceptionOfType(Exception.class)
				.isThrownBy(() -> run("--management.server.port=" + taken.getLocalPort(),
						"--management.server.address=127.0.0.1"))
				.satisfies((failure) -> {
					FailureAnalysis analysis = analysis(failure);
					assertThat(analysis.getDescription()).contains(String.valueOf(taken.getLocalPort()), "in use");
					assertThat(analysis.getAction()).contains("'management.server.port'");
				});
		}
	}

	private static FailureAnalysis analysis(Throwable failure) {
		return SpringFactoriesLoader.forDefaultResourceLocation()
			.load(FailureAnalyzer.class, SpringFactoriesLoader.FailureHandler.handleMessage((message, ex) -> {
			}))
			.stream()
			.map((analyzer) -> analyzer.analyze(failure))
			.filter(Objects::nonNull)
			.findFirst()
			.orElseThrow();
	}

	@Test
	void guardsAPortOfItsOwnOnly() {
		assertThatExceptionOfType(Exception.class).isThrownBy(() -> run("--sharding.sharder.management.secure=true"))
			.withRootCauseInstanceOf(InvalidConfigurationPropertyValueException.class)
			.withStackTraceContaining("'management.server.port'");
	}

	@Test
	void probesAreAnsweredWhileTheApiServerDoesNotSayWhoMayReadMetrics() throws Exception {
		run("--sharding.sharder.management.secure=true", "--management.server.port=0",
				"--management.server.address=127.0.0.1");
		try (SSLSocket socket = (SSLSocket) TestCertificates.trustingAll()
			.getSocketFactory()
			.createSocket("127.0.0.1", Integer.parseInt(port("management.server")))) {
			socket.getOutputStream()
				.write("GET /actuator/health HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer a\r\n\r\n"
					.getBytes(StandardCharsets.US_ASCII));
			assertThat(get("/readyz").statusCode()).isEqualTo(200);
			assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
				.startsWith("HTTP/1.1 503")
				.containsIgnoringCase("Retry-After: 1");
		}
	}

	private void run(String... arguments) {
		Map<String, Object> defaults = new HashMap<>(SharderApplication.DEFAULTS);
		defaults.put("server.port", 0);
		defaults.put("server.address", "127.0.0.1");
		SpringApplication application = new SpringApplication(Program.class);
		application.setDefaultProperties(defaults);
		this.program = application.run(arguments);
	}

	private String port(String prefix) {
		return this.program.getEnvironment().getProperty("local." + prefix + ".port");
	}

	private HttpResponse<String> get(String path) throws IOException, InterruptedException {
		return send(request(path).build());
	}

	private HttpResponse<String> get(String port, String path) throws IOException, InterruptedException {
		return send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).build());
	}

	private HttpResponse<String> post(String path, String body, String type) throws IOException, InterruptedException {
		return send(request(path).header("Content-Type", type).POST(BodyPublishers.ofString(body)).build());
	}

	/* The client of the JDK sends nothing malformed. */
	private String raw(String path) throws IOException {
		try (Socket socket = new Socket("127.0.0.1", Integer.parseInt(port("server")))) {
			socket.getOutputStream()
				.write(("GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
			return new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII);
		}
	}

	private HttpRequest.Builder request(String path) {
		return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port("server") + path));
	}

	private HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
		return this.http.send(request, BodyHandlers.ofString(StandardCharsets.UTF_8));
	}

	/* No @Configuration, which tests of the whole program would find. */
	@EnableAutoConfiguration
	@EnableConfigurationProperties(ManagementProperties.class)
	@Import(ManagementConfiguration.class)
	static class Program {

		@Bean
		WebStack webStack() {
			return new WebStack();
		}

		/* Nobody listens there. */
		@Bean
		KubernetesClient client() {
			return new KubernetesClientBuilder()
				.withConfig(new ConfigBuilder().withMasterUrl("https://127.0.0.1:1").withTrustCerts(true).build())
				.build();
		}

		@Bean("webhookHealthIndicator")
		HealthIndicator webhook() {
			return () -> (READY.get() ? Health.up() : Health.down()).withDetail("some", "detail").build();
		}

		@Bean
		Sample sample() {
			return new Sample();
		}

	}

	/** An endpoint as a user may have one. */
	@Endpoint(id = "sample")
	static class Sample {

		@ReadOperation
		Map<String, Object> all() {
			return Map.of("all", true);
		}

		@ReadOperation
		Object one(@Selector String name, @Nullable Integer times) {
			return switch (name) {
				case "later" -> CompletableFuture.supplyAsync(() -> Map.of("later", true));
				case "never" -> new CompletableFuture<>();
				case "hangs" -> {
					HANGING.acquireUninterruptibly();
					yield Map.of("hung", true);
				}
				case "none" -> null;
				case "bad" -> throw new InvalidEndpointRequestException("bad", "not this one");
				case "fails" -> throw new IllegalStateException("on purpose");
				case "yaml" -> new WebEndpointResponse<>("a: b", 200, new MimeType("application", "yaml"));
				default -> new java.util.TreeMap<>(Map.of("name", name, "times", times));
			};
		}

		@WriteOperation
		Map<String, Object> write(@Selector String name, String text) {
			return Map.of(name, text);
		}

		@DeleteOperation
		void delete(@Selector String name) {
		}

	}

}
