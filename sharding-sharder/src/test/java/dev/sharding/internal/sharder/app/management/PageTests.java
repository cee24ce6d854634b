package dev.sharding.internal.sharder.app.management;

import java.io.IOException;
import java.io.InputStream;
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
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.sharding.internal.kubernetes.rest.http.ClientJson;
import dev.sharding.internal.sharder.http.Bodies;
import dev.sharding.internal.sharder.http.ConnectionLimits;
import dev.sharding.internal.sharder.http.Listener;
import dev.sharding.internal.sharder.http.RequestLimits;
import dev.sharding.internal.sharder.http.ServerMetrics;
import dev.sharding.internal.sharder.http.ServerOptions;
import dev.sharding.internal.sharder.http.WebStack;
import dev.sharding.internal.sharder.overview.SharderOverview;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What the page answers, and to what it does not.
 */
class PageTests {

	private static final RequestLimits LIMITS = new RequestLimits(4096, 1024, 4096, Duration.ofSeconds(5));

	private final WebStack stack = new WebStack();

	private final AtomicInteger asked = new AtomicInteger();

	private final HttpClient http = HttpClient.newHttpClient();

	private final List<Socket> sockets = new ArrayList<>();

	private Listener listener;

	@BeforeEach
	void listen() throws Exception {
		ServerOptions options = new ServerOptions("127.0.0.1", 0, ConnectionLimits.DEFAULT, LIMITS);
		ServerMetrics metrics = new ServerMetrics(new SimpleMeterRegistry(), "page");
		Bodies bodies = new Bodies(this.stack, LIMITS, (status) -> {
		});
		PageStreams streams = new PageStreams(this::overview, ClientJson.take(), this.stack, this.stack.workers("page"),
				bodies);
		this.listener = new Listener(this.stack, options, null,
				new Page(streams, bodies, (request) -> request.response().setStatusCode(418).end()), metrics);
		this.listener.listen();
	}

	@AfterEach
	void close() throws IOException {
		for (Socket socket : this.sockets) {
			socket.close();
		}
		this.listener.close();
		this.stack.close();
	}

	private CompletableFuture<SharderOverview> overview() {
		return CompletableFuture.completedFuture(new SharderOverview("2026-01-01T00:00:00Z", "replica-a", false,
				"</script><b>" + this.asked.incrementAndGet(), null, null, null, List.of()));
	}

	@Test
	void isThreeFilesThatNeedNothingFromElsewhere() throws Exception {
		HttpResponse<String> page = get("/ui/");
		assertThat(page.statusCode()).isEqualTo(200);
		assertThat(page.headers().firstValue("Content-Security-Policy").orElseThrow()).startsWith("default-src 'none'")
			.contains("script-src 'self'", "frame-ancestors 'none'", "form-action 'none'")
			.doesNotContain("unsafe");
		assertThat(page.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
		assertThat(page.headers().firstValue("Cache-Control")).contains("no-store");
		String script = get("/ui/page.js").body();
		String style = get("/ui/page.css").body();
		// As the policy would not run or apply it.
		assertThat(page.body()).doesNotContainPattern("<script(?![^>]*src=)")
			.doesNotContainPattern("\\son[a-z]+=")
			.doesNotContain("style=", "<style", "javascript:");
		assertThat(page.body() + script + style).doesNotContain("http:", "https:", "//cdn", "@import", "url(");
		// Nothing that is read as HTML or as a script.
		assertThat(script).doesNotContain("innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval(",
				"new Function");
		assertThat(get("/ui").statusCode()).isEqualTo(308);
		assertThat(get("/ui").headers().firstValue("Location")).contains("ui/");
	}

	@Test
	void theScriptUsesOnlyWhatTheTemplatesHave() throws Exception {
		String page = get("/ui/").body();
		String script = get("/ui/page.js").body();
		assertThat(found(page, "data-field=\"(\\w+)\""))
			.containsAll(found(script, "(?:fill|field|region)\\(\\w+, \"(\\w+)\""));
		assertThat(found(page, "data-list=\"(\\w+)\"")).containsAll(found(script, "list\\(\\w+, \"(\\w+)\"\\)"));
		assertThat(found(page, "id=\"(\\w+)\"")).containsAll(found(script, "byId\\(\"(\\w+)\"\\)"))
			.containsAll(found(script, "\\), [\\w.]+(?:\\(untrue\\))?, \"(\\w+)\","));
		// Each field is filled, and each region that scrolls can be reached by keys.
		assertThat(found(script, "\"(\\w+)\"")).containsAll(found(page, "data-field=\"(\\w+)\""));
		assertThat(found(page, "(class=\"scroll\")")).hasSize(1);
		assertThat(page.split("class=\"scroll\"", -1)).hasSameSizeAs(page.split("tabindex=\"0\" role=\"region\"", -1));
	}

	@Test
	void streamsWhatChangesAsTextThatCannotEndTheEvent() throws Exception {
		List<String> lines = new CopyOnWriteArrayList<>();
		CompletableFuture<HttpResponse<Void>> stream = this.http.sendAsync(request("/ui/events").build(),
				BodyHandlers.fromLineSubscriber(new Lines(lines)));
		await().atMost(Duration.ofSeconds(60))
			.until(() -> lines.stream().filter((line) -> line.startsWith("data: ")).count() >= 3);
		stream.cancel(true);
		assertThat(lines.get(0)).isEqualTo("retry: 1000");
		assertThat(lines.subList(1, lines.size()))
			.allSatisfy((line) -> assertThat(line).matches("|data: \\{.*\"replica\":\"replica-a\".*}"));
	}

	/**
	 * Keeps what a stream brings.
	 */
	private record Lines(List<String> lines) implements Flow.Subscriber<String> {

		@Override
		public void onSubscribe(Flow.Subscription subscription) {
			subscription.request(Long.MAX_VALUE);
		}

		@Override
		public void onNext(String line) {
			this.lines.add(line);
		}

		@Override
		public void onError(Throwable failure) {
		}

		@Override
		public void onComplete() {
		}

	}

	@Test
	void asksNobodyWhileNobodyLooks() throws Exception {
		assertThat(get("/ui/").statusCode()).isEqualTo(200);
		assertThat(this.asked).hasValue(0);
		InputStream stream = this.http.send(request("/ui/events").build(), BodyHandlers.ofInputStream()).body();
		await().atMost(Duration.ofSeconds(90)).untilAsserted(() -> assertThat(this.asked).hasPositiveValue());
		stream.close();
		// One of the following two finds nobody left.
		await().during(Duration.ofMillis(2_500)).atMost(Duration.ofSeconds(60)).until(new Quiet()::holds);
	}

	private final class Quiet {

		private int last = -1;

		private boolean holds() {
			int now = PageTests.this.asked.get();
			boolean same = now == this.last;
			this.last = now;
			return same;
		}

	}

	@Test
	void soManyMayLookAndNoMore() throws Exception {
		List<InputStream> open = new ArrayList<>();
		for (int i = 0; i < PageStreams.MOST; i++) {
			HttpResponse<InputStream> one = this.http.send(request("/ui/events").build(), BodyHandlers.ofInputStream());
			assertThat(one.statusCode()).isEqualTo(200);
			open.add(one.body());
		}
		HttpResponse<String> further = get("/ui/events");
		assertThat(further.statusCode()).isEqualTo(503);
		assertThat(further.headers().firstValue("Retry-After")).contains("1");
		assertThat(get("/ui/").statusCode()).isEqualTo(200);
		open.get(0).close();
		await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
			HttpResponse<InputStream> next = this.http.send(request("/ui/events").build(),
					BodyHandlers.ofInputStream());
			open.add(next.body());
			assertThat(next.statusCode()).isEqualTo(200);
		});
		for (InputStream one : open) {
			one.close();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "POST", "PUT", "DELETE", "PATCH", "OPTIONS" })
	void changesNothing(String method) throws Exception {
		for (String path : List.of("/ui", "/ui/", "/ui/events", "/ui/page.js")) {
			HttpResponse<String> answer = this.http.send(request(path).method(method, BodyPublishers.noBody()).build(),
					BodyHandlers.ofString());
			assertThat(answer.statusCode()).as(path).isEqualTo(405);
			assertThat(answer.headers().firstValue("Access-Control-Allow-Origin")).isEmpty();
		}
		assertThat(this.asked).hasValue(0);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/ui/../actuator/env", "/ui/%2e%2e/actuator/env", "/ui/..%2f..%2fetc/passwd",
			"/ui//etc/passwd", "/ui/page.js/", "/ui/index.html", "/ui/page/page.js", "/ui/page.js%00", "/ui/\\..\\x",
			"/ui/..;/actuator" })
	void namesNoOtherFile(String path) throws Exception {
		assertThat(raw("GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n")).startsWith("HTTP/1.1 4").doesNotContain("418");
	}

	@Test
	void whatIsNotForThePageGoesOn() throws Exception {
		assertThat(get("/actuator/health").statusCode()).isEqualTo(418);
		assertThat(get("/uix").statusCode()).isEqualTo(418);
		assertThat(get("/").statusCode()).isEqualTo(418);
	}

	@Test
	void refusesWhatIsTooLargeOrTooSlow() throws Exception {
		assertThat(raw("GET /ui/ HTTP/1.1\r\nHost: a\r\nContent-Length: 2000\r\n\r\n")).startsWith("HTTP/1.1 413");
		assertThat(raw("GET /ui/ HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n7d0\r\n" + "x".repeat(2000)))
			.startsWith("HTTP/1.1 413");
		assertThat(raw("GET /ui/ HTTP/1.1\r\nHost: a\r\nCookie: " + "x".repeat(8000) + "\r\n\r\n"))
			.startsWith("HTTP/1.1 431");
		assertThat(raw("GET /ui/" + "x".repeat(9000) + " HTTP/1.1\r\nHost: a\r\n\r\n")).contains(" 414 ");
		assertThat(raw("GET /ui/events HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n1")).startsWith("HTTP/1.1 408");
		// Whoever begins and says no more.
		assertThat(raw("GET /ui/ HT")).isEmpty();
		assertThat(get("/ui/").statusCode()).isEqualTo(200);
	}

	private static Set<String> found(String text, String pattern) {
		Set<String> found = new TreeSet<>();
		Matcher matcher = Pattern.compile(pattern).matcher(text);
		while (matcher.find()) {
			found.add(matcher.group(1));
		}
		assertThat(found).as(pattern).isNotEmpty();
		return found;
	}

	private HttpRequest.Builder request(String path) {
		return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + this.listener.port() + path))
			.timeout(Duration.ofSeconds(60));
	}

	private HttpResponse<String> get(String path) throws IOException, InterruptedException {
		return this.http.send(request(path).build(), BodyHandlers.ofString());
	}

	/*
	 * What is answered until the connection ends; the answer of the page ends by itself.
	 */
	private String raw(String text) throws IOException {
		Socket socket = new Socket("127.0.0.1", this.listener.port());
		this.sockets.add(socket);
		socket.setSoTimeout(60_000);
		socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
		return new String(socket.getInputStream().readNBytes(400), StandardCharsets.US_ASCII);
	}

}
