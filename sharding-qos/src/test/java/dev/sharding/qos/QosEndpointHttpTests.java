package dev.sharding.qos;

import java.time.Duration;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import dev.sharding.client.RequestThrottle.Passage;
import dev.sharding.internal.kubernetes.qos.Qos;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.qos.spi.QosRules;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The endpoint as {@code curl} sees it. */
@ExtendWith(OutputCaptureExtension.class)
class QosEndpointHttpTests {

	private static final String UNRESTRICTED = "management.endpoint.qos.access=unrestricted";

	private static final String FEW = "{kind: max-in-flight, max: 3}";

	private final HttpClient http = HttpClient.newHttpClient();

	private ConfigurableApplicationContext context;

	@AfterEach
	void stop() {
		this.context.close();
	}

	@Test
	void showsWhatIsInForceAndRefusesChangesUnlessTheyAreAllowed() {
		start();
		assertThat(get("").body()).contains("\"large-lists\"", "\"events-under-storage-pressure\"", "\"counts\"",
				"\"share\":{}");
		assertThat(get("/share").body()).isEqualTo("{}");
		assertThat(get("/rules/large-lists").body()).contains("\"unpaged-items\":1000.0");
		assertThat(get("/rules/missing").statusCode()).isEqualTo(404);
		assertThat(get("/nothing").statusCode()).isEqualTo(404);
		QosRules before = qos().rules();
		assertThat(post("/classes/few", FEW).statusCode()).isBetween(400, 499);
		assertThat(send("/rules/large-lists", HttpRequest.newBuilder().DELETE()).statusCode()).isBetween(400, 499);
		assertThat(qos().rules()).isSameAs(before);
	}

	@Test
	void changesAreInForceAtOnceAndInTheLog(CapturedOutput output) {
		start(UNRESTRICTED);
		assertThat(post("/classes/few", FEW).statusCode()).isEqualTo(200);
		assertThat(post("/rules/pods", "{priority: 5, qos-class: few, paths: [/api/v1/pods]}").statusCode())
			.isEqualTo(200);
		Objects.requireNonNull(qos().enter(ApiRequest.of("GET", "/api/v1/pods"))).ended(null);
		assertThat(get("/counts").body())
			.contains("{\"rule\":\"pods\",\"matched\":1,\"limited\":0,\"waited\":0,\"rejected\":0}");
		HttpResponse<String> export = get("/export");
		assertThat(export.headers().firstValue("Content-Type")).hasValue("application/yaml");
		assertThat(export.body()).startsWith("sharding:\n  qos:\n    enabled: true\n")
			.contains("      few:\n        kind: max-in-flight\n        max: 3\n");
		assertThat(post("/rules/pods", "{priority: 5, qos-class: few}").statusCode()).isEqualTo(400);
		assertThat(update("/rules/pods", "{priority: 6, qos-class: few, paths: [/api/v1/pods]}").statusCode())
			.isEqualTo(200);
		HttpResponse<String> inUse = send("/classes/few", HttpRequest.newBuilder().DELETE());
		assertThat(inUse.statusCode()).isEqualTo(400);
		assertThat(inUse.body()).contains("\"offender\":\"pods\"",
				"Class 'few' is in use by the rules [pods]: delete them first, or give them another class");
		assertThat(get("/rules/pods").body()).contains("\"priority\":6", "\"qos-class\":\"few\"");
		assertThat(send("/rules/pods", HttpRequest.newBuilder().DELETE()).statusCode()).isEqualTo(200);
		assertThat(get("/rules").body()).doesNotContain("pods");
		assertThat(send("/classes/few", HttpRequest.newBuilder().DELETE()).statusCode()).isEqualTo(200);
		assertThat(output.getOut().lines().filter((line) -> line.contains("QoS: "))).satisfiesExactly(
				(line) -> assertThat(line).contains("added class 'few': MaxInFlight[max=3]"),
				(line) -> assertThat(line).contains("added rule 'pods': QosRule[name=pods, enabled=true, priority=5"),
				(line) -> assertThat(line).contains("changed rule 'pods': ", "priority=6", "was ", "priority=5"),
				(line) -> assertThat(line).contains("deleted rule 'pods': was "),
				(line) -> assertThat(line).contains("deleted class 'few': was MaxInFlight[max=3]"));
	}

	@Test
	void aClassIsSharedUntilItIsRedefinedWithoutIt() {
		start(UNRESTRICTED);
		assertThat(post("/classes/few", "{kind: max-in-flight, max: 3, shared: true}").statusCode()).isEqualTo(200);
		assertThat(post("/rules/pods", "{priority: 5, qos-class: few, paths: [/api/v1/pods]}").statusCode())
			.isEqualTo(200);
		assertThat(qos().rules().shared()).containsExactly("few");
		assertThat(get("/export").body()).contains("        shared: true\n");
		HttpResponse<String> refused = post("/rules/nodes",
				"{priority: 5, qos-class: few, paths: [/api/v1/nodes]," + " max-wait: 1s}");
		assertThat(refused.statusCode()).isEqualTo(400);
		assertThat(refused.body()).contains("share the class 'few'");
		assertThat(update("/classes/few", "{kind: max-in-flight, max: 3}").statusCode()).isEqualTo(200);
		assertThat(qos().rules().shared()).isEmpty();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '\u0001',
			textBlock = """
							/rules/a         | {priority: 1, qos-class: missing} | a | names the class 'missing', which is not defined
							/rules/large-lists | {priority: 1, qos-class: events} | large-lists | There is a rule 'large-lists' already
							/classes/events  | {kind: max-in-flight, max: 1} | events | There is a class 'events' already
							/rules/a         | {priority: 90, qos-class: events} | large-lists | have the same priority 90
							/rules/a         | {priority: 101, qos-class: events} | a | must be from 1 to 100 (is 101)
							/rules/a         | {priority: 1, qos-class: events, conditions: {storage-used: 1.5}} | a | must be from 0 to 1.0
							/rules/a         | {priority: 1, qos-class: events, conditions: {latency: -1}} | a | must be from 0 to
							/rules/a         | {priority: 1, qos-class: events, conditions: {colour: 1}} | a | colour
							/rules/a         | {priority: 1, qos-class: events, paths: [/healthz]} | a | is no path of the API
							/rules/a         | {priority: 1, qos-class: events, operations: [fly]} | a | fly
							/rules/a         | {priority: 1, qos-class: events, max-wait: -1s} | a | must not be negative
							/rules/a         | {priority: 1, qos-class: events, cost: items} | a | can only count REQUESTS
							/classes/a       | {kind: token-bucket, qps: -1} | a | 'qps' must be above 0
							/classes/a       | {kind: leaky-bucket, qps: 1, queue: -1} | a | 'queue' must not be negative
							/classes/a       | {kind: running-window, units: 0, window: 1s} | a | 'units' must be at least 1
							/classes/a       | {kind: max-in-flight, max: 0} | a | 'max' must be at least 1
							/classes/a       | {kind: sieve} | a | sieve
							/classes/a       | {kind: }}                          | a | expected
					/classes/a       | few                                | a | must be a mapping
					/classes/events  | DELETE | events-under-storage-pressure | Class 'events' is in use by the rules [events-under-storage-pressure]
							""")
	void badInputIsRefusedWithTheReasonAndTheOffender(String path, String body, String offender, String reason) {
		start(UNRESTRICTED);
		QosRules before = qos().rules();
		HttpResponse<String> answer = body.equals("DELETE") ? send(path, HttpRequest.newBuilder().DELETE())
				: post(path, body);
		assertThat(answer.statusCode()).isEqualTo(400);
		assertThat(answer.body()).contains(reason).contains("\"offender\":\"" + offender + "\"");
		assertThat(qos().rules()).isSameAs(before);
	}

	@Test
	void readersOfTheMonitorWaitForNewsAndHoldNoThread() throws Exception {
		start(UNRESTRICTED, "server.tomcat.threads.max=2", "sharding.qos.classes.few.kind=max-in-flight",
				"sharding.qos.classes.few.max=1", "sharding.qos.rules.pods.priority=5",
				"sharding.qos.rules.pods.qos-class=few", "sharding.qos.rules.pods.max-wait=0s",
				"sharding.qos.rules.pods.paths=/api/v1/pods");
		List<CompletableFuture<HttpResponse<String>>> readers = new ArrayList<>();
		for (int i = 0; i < 6; i++) {
			readers.add(this.http.sendAsync(request("/monitor?since=0&limit=5").build(), BodyHandlers.ofString()));
		}
		// More readers than threads: others are answered all the same.
		assertThat(get("/rules/pods").statusCode()).isEqualTo(200);
		assertThat(readers).allSatisfy((reader) -> assertThat(reader).isNotDone());
		reject();
		for (CompletableFuture<HttpResponse<String>> reader : readers) {
			assertThat(reader.get(1, TimeUnit.MINUTES).body()).startsWith("[{\"sequence\":1,")
				.contains("\"rule\":\"pods\"");
		}
		reject();
		reject();
		assertThat(get("/monitor?since=1&limit=1").body()).startsWith("[{\"sequence\":3,")
			.doesNotContain("\"sequence\":2");
		await().atMost(Duration.ofMinutes(1))
			.until(() -> get("/monitor?type=latency&threshold=-1&since=0&limit=100").body()
				.startsWith("[{\"sequence\":1,"));
		assertThat(get("/monitor?type=colour").statusCode()).isEqualTo(400);
	}

	@Test
	void readerOfTheMonitorWhoSeesNothingNewIsToldSoAfterTenSeconds() {
		start();
		long asked = System.nanoTime();
		assertThat(get("/monitor?type=items&threshold=600").body()).isEqualTo("[]");
		assertThat(Duration.ofNanos(System.nanoTime() - asked)).isBetween(Duration.ofSeconds(10),
				Duration.ofMinutes(1));
	}

	@Test
	void monitorShowsRequestsWithManyItems() {
		start();
		for (int items : List.of(550, 650)) {
			Passage passage = Objects.requireNonNull(qos().enter(ApiRequest.of("GET", "/api/v1/pods")));
			passage.received(StandardCharsets.UTF_8.encode("{\"items\":[{}" + ",{}".repeat(items - 1) + "]}"));
			passage.ended(null);
		}
		assertThat(get("/monitor?type=items&threshold=600").body()).contains("\"items\":650.0")
			.doesNotContain("\"items\":550.0");
		assertThat(get("/monitor?type=items&threshold=500").body()).contains("\"items\":650.0", "\"items\":550.0");
	}

	private void reject() {
		Passage first = Objects.requireNonNull(qos().enter(ApiRequest.of("GET", "/api/v1/pods")));
		Passage second = Objects.requireNonNull(qos().enter(ApiRequest.of("GET", "/api/v1/pods")));
		Throwable refusal = second.admitted().handle((admitted, failure) -> failure).join();
		assertThat(refusal).isNotNull();
		second.ended(refusal.getCause());
		first.ended(null);
	}

	private Qos qos() {
		return this.context.getBean(Qos.class);
	}

	private void start(String... properties) {
		List<String> all = new ArrayList<>(List.of("server.port=0", "sharding.qos.enabled=true",
				"management.endpoints.web.exposure.include=qos", "spring.main.banner-mode=off"));
		all.addAll(List.of(properties));
		this.context = new SpringApplicationBuilder(Application.class).properties(all.toArray(String[]::new)).run();
	}

	private HttpResponse<String> get(String path) {
		return send(path, HttpRequest.newBuilder());
	}

	private HttpResponse<String> post(String path, String definition) {
		return send(path,
				HttpRequest.newBuilder()
					.header("Content-Type", "application/json")
					.POST(BodyPublishers.ofString("{\"definition\": \"" + definition + "\"}")));
	}

	private HttpResponse<String> update(String path, String definition) {
		return send(path,
				HttpRequest.newBuilder()
					.header("Content-Type", "application/json")
					.POST(BodyPublishers.ofString("{\"definition\": \"" + definition + "\", \"update\": true}")));
	}

	private HttpResponse<String> send(String path, HttpRequest.Builder request) {
		return this.http.sendAsync(request.uri(uri(path)).build(), BodyHandlers.ofString()).join();
	}

	private HttpRequest.Builder request(String path) {
		return HttpRequest.newBuilder(uri(path));
	}

	private URI uri(String path) {
		return URI.create("http://127.0.0.1:" + this.context.getEnvironment().getProperty("local.server.port")
				+ "/actuator/qos" + path);
	}

	/** An application with limits and no client. */
	@SpringBootConfiguration
	@EnableAutoConfiguration
	static class Application {

	}

}
