package dev.sharding.internal.sharder.webhook;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;

import javax.net.ssl.SSLSocket;

import dev.sharding.internal.sharder.http.ConnectionLimits;
import dev.sharding.internal.sharder.http.RequestLimits;
import dev.sharding.internal.sharder.http.ServerOptions;
import dev.sharding.internal.sharder.http.WebStack;
import dev.sharding.internal.sharder.tls.CertificateTerms;
import dev.sharding.internal.sharder.tls.ServingCertificate;
import dev.sharding.internal.sharder.tls.TestCertificates;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Vertx;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

class WebhookServerTests {

	private static final String PATH = "/webhooks/sharder/controllerring/my-ring";

	private static final int MAX_BODY = 64 * 1024;

	private static final ServerOptions OPTIONS = options(4 * MAX_BODY, Duration.ofSeconds(6), Duration.ofSeconds(60));

	private final WebStack stack = new WebStack();

	private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

	private final WebhookMetrics metrics = new WebhookMetrics(this.registry);

	private final WebhookServer server = create(OPTIONS);

	private final ServingCertificate certificate = TestCertificates.create(Set.of("127.0.0.1", "localhost"),
			CertificateTerms.DEFAULT, Instant.now());

	@BeforeEach
	void start() {
		assertThat(this.server.port()).isEqualTo(-1);
		this.server.use(this.certificate);
	}

	@AfterEach
	void stop() {
		this.server.close();
		this.stack.close();
	}

	private static ServerOptions options(int unfinished, Duration timeout, Duration idle) {
		return new ServerOptions("127.0.0.1", 0, new ConnectionLimits(64, 16, Duration.ofSeconds(10), idle),
				new RequestLimits(8 * 1024, MAX_BODY, unfinished, timeout));
	}

	private WebhookServer create(ServerOptions options) {
		return new WebhookServer(this.stack, options,
				new AdmissionHandler(new AdmissionReviews(Reviews.SERIALIZATION),
						(ring) -> Reviews.RING.equals(ring) ? Reviews.VIEW : null, true, this.metrics),
				this.metrics, System::nanoTime);
	}

	@ParameterizedTest
	@EnumSource(HttpClient.Version.class)
	void answersInBothVersionsOfHttp(HttpClient.Version version) throws Exception {
		HttpClient client = client(this.certificate, version);
		for (int i = 0; i < 3; i++) {
			HttpResponse<byte[]> response = client.send(review(Reviews.secret("foo", "", false)),
					BodyHandlers.ofByteArray());
			assertThat(response.statusCode()).isEqualTo(200);
			assertThat(response.version()).isEqualTo(version);
			assertThat(response.headers().firstValue("content-type")).contains("application/json");
			assertThat(Reviews.patch(response.body())).contains("shard.alpha.sharding.timebertt.dev~1my-ring");
		}
		assertThat(this.registry.get("controller.sharding.webhook.requests").tag("outcome", "assigned").timer().count())
			.isEqualTo(3);
	}

	@ParameterizedTest
	@EnumSource(HttpClient.Version.class)
	void refusesMalformedBodies(HttpClient.Version version) throws Exception {
		HttpClient client = client(this.certificate, version);
		assertThat(status(client, review("{}"))).isEqualTo(400);
		assertThat(status(client, review("kind: AdmissionReview"))).isEqualTo(400);
	}

	@ParameterizedTest
	@EnumSource(HttpClient.Version.class)
	void refusesLargeBodiesAndGoesOn(HttpClient.Version version) throws Exception {
		refuses(version, review(Reviews.secret("foo", "", false) + " ".repeat(MAX_BODY)), 1);
		refuses(version,
				request(PATH)
					.POST(BodyPublishers.ofInputStream(
							() -> new ByteArrayInputStream(Reviews.bytes("{\"a\":\"" + "x".repeat(2 * MAX_BODY)))))
					.build(),
				2);
		assertThat(status(client(this.certificate, version), review(Reviews.secret("foo", "", false)))).isEqualTo(200);
	}

	@ParameterizedTest
	@CsvSource({ "/, 404", "/webhooks/sharder/controllerring/, 404", "/webhooks/sharder/controllerring/A, 404",
			"/webhooks/sharder/controllerring/a?timeout=5s, 400" })
	void refusesOtherPaths(String path, int status) throws Exception {
		assertThat(status(client(this.certificate, HttpClient.Version.HTTP_1_1),
				request(path).POST(BodyPublishers.ofString("{}")).build()))
			.isEqualTo(status);
	}

	@Test
	void refusesOtherMethodsAndTypes() throws Exception {
		HttpClient client = client(this.certificate, HttpClient.Version.HTTP_1_1);
		assertThat(status(client, request(PATH).GET().build())).isEqualTo(405);
		HttpRequest yaml = HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + this.server.port() + PATH))
			.header("Content-Type", "application/yaml")
			.POST(BodyPublishers.ofString("{}"))
			.build();
		assertThat(status(client, yaml)).isEqualTo(415);
	}

	@Test
	void cutsOffWhoeverSendsSlowly() throws Exception {
		try (SSLSocket socket = socket()) {
			OutputStream out = socket.getOutputStream();
			out.write(("POST " + PATH + " HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
					+ "Content-Length: 1000\r\n\r\n{")
				.getBytes(StandardCharsets.US_ASCII));
			out.flush();
			assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
				.startsWith("HTTP/1.1 408");
		}
	}

	@Test
	void refusesALargeBodyBeforeItComes() throws Exception {
		try (SSLSocket socket = socket()) {
			socket.getOutputStream()
				.write(("POST " + PATH + " HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
						+ "Content-Length: " + (MAX_BODY + 1) + "\r\n\r\n")
					.getBytes(StandardCharsets.US_ASCII));
			socket.getOutputStream().flush();
			assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
				.startsWith("HTTP/1.1 413");
		}
	}

	@Test
	void refusesWhatIsTooMuchInTheSumOfManySlowBodies() throws Exception {
		HttpClient client = client(this.certificate, HttpClient.Version.HTTP_1_1);
		// The second time only if all that the first one took is free again.
		for (int round = 1; round <= 2; round++) {
			List<SSLSocket> slow = new ArrayList<>();
			for (int i = 0; i < 8; i++) {
				slow.add(sendMostOfABody(MAX_BODY * 3 / 4));
			}
			// Five times three quarters fit into four.
			awaitRefused(503, 3 * round);
			assertThat(status(client, review(Reviews.secret("foo", "", false)))).isEqualTo(200);
			if (round == 1) {
				awaitRefused(408, 5);
			}
			for (SSLSocket socket : slow) {
				socket.close();
			}
		}
	}

	private SSLSocket sendMostOfABody(int bytes) throws Exception {
		SSLSocket socket = socket();
		socket.startHandshake();
		try {
			OutputStream out = socket.getOutputStream();
			out.write(
					("POST " + PATH + " HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n" + "Content-Length: "
							+ MAX_BODY + "\r\n\r\n" + "x".repeat(bytes))
						.getBytes(StandardCharsets.US_ASCII));
			out.flush();
		}
		catch (IOException refused) {
			// Before all of it was sent.
		}
		return socket;
	}

	private void awaitRefused(int status, int times) {
		await().atMost(Duration.ofSeconds(60))
			.ignoreExceptions()
			.untilAsserted(() -> assertThat(this.registry.get("controller.sharding.webhook.requests")
				.tag("outcome", "refused_" + status)
				.timer()
				.count()).isEqualTo(times));
	}

	@Test
	void cutsOffWhoeverSaysNothing() throws Exception {
		try (SSLSocket socket = socket()) {
			socket.getOutputStream().write("POST".getBytes(StandardCharsets.US_ASCII));
			socket.getOutputStream().flush();
			assertThat(ends(socket.getInputStream())).isTrue();
		}
	}

	@Test
	void cutsOffWhoeverSaysSomethingOnceAndThenNothingMuch() throws Exception {
		ServerOptions hasty = options(MAX_BODY, Duration.ofSeconds(60), Duration.ofSeconds(2));
		try (WebhookServer other = create(hasty)) {
			other.use(this.certificate);
			try (SSLSocket socket = socket(other)) {
				String body = Reviews.secret("foo", "", false);
				OutputStream out = socket.getOutputStream();
				out.write(("POST " + PATH + " HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
						+ "Content-Length: " + body.length() + "\r\n\r\n" + body + "POST ")
					.getBytes(StandardCharsets.US_ASCII));
				out.flush();
				// A byte of a head does not hold off the idle timeout.
				await().atMost(Duration.ofSeconds(30)).pollInterval(Duration.ofMillis(200)).until(() -> {
					try {
						out.write('/');
						out.flush();
						return false;
					}
					catch (IOException closed) {
						return true;
					}
				});
				assertThat(new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII))
					.isEqualTo("HTTP/1.1 200");
			}
		}
	}

	@Test
	void cutsOffWhoeverSendsSlowlyInHttp2() throws Exception {
		CompletableFuture<?> answer = client(this.certificate, HttpClient.Version.HTTP_2)
			.sendAsync(request(PATH).POST(BodyPublishers.fromPublisher((subscriber) -> {
				subscriber.onSubscribe(new Flow.Subscription() {

					private boolean sent;

					@Override
					public void request(long number) {
						if (!this.sent) {
							this.sent = true;
							subscriber.onNext(ByteBuffer.wrap(Reviews.bytes("{")));
						}
					}

					@Override
					public void cancel() {
					}

				});
			})).build(), BodyHandlers.ofByteArray());
		awaitRefused(408, 1);
		answer.cancel(true);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/", PATH })
	void cutsOffWhoeverReadsNoAnswerInHttp2(String path) {
		HttpClientOptions readsNothing = new HttpClientOptions().setSsl(true)
			.setTrustAll(true)
			.setVerifyHost(false)
			.setUseAlpn(true)
			.setProtocolVersion(HttpVersion.HTTP_2)
			.setInitialSettings(new Http2Settings().setInitialWindowSize(0));
		CompletableFuture<Integer> status = new CompletableFuture<>();
		CompletableFuture<Void> cutOff = new CompletableFuture<>();
		Vertx vertx = Vertx.vertx();
		try {
			vertx.createHttpClient(readsNothing)
				.request(HttpMethod.POST, this.server.port(), "127.0.0.1", path)
				.onSuccess((request) -> {
					request.connection().closeHandler((closed) -> cutOff.complete(null));
					request.putHeader("Content-Type", "application/json")
						.send(Reviews.secret("foo", "", false))
						.onSuccess((response) -> status.complete(response.statusCode()));
				});
			await().atMost(Duration.ofSeconds(30)).until(cutOff::isDone);
			assertThat(status).isCompletedWithValue(PATH.equals(path) ? 200 : 404);
		}
		finally {
			vertx.close();
		}
	}

	@Test
	void takesANewCertificateWithoutBreakingConnections() throws Exception {
		HttpClient before = client(this.certificate, HttpClient.Version.HTTP_1_1);
		assertThat(status(before, review(Reviews.secret("foo", "", false)))).isEqualTo(200);
		ServingCertificate next = TestCertificates.create(Set.of("127.0.0.1"), CertificateTerms.DEFAULT, Instant.now());
		this.server.use(next);
		assertThat(status(client(next, HttpClient.Version.HTTP_1_1), review(Reviews.secret("foo", "", false))))
			.isEqualTo(200);
		// The open connection stays; a new one would not be trusted.
		assertThat(status(before, review(Reviews.secret("foo", "", false)))).isEqualTo(200);
		assertThatExceptionOfType(IOException.class)
			.isThrownBy(() -> status(client(this.certificate, HttpClient.Version.HTTP_1_1), review("{}")));
	}

	@Test
	void keepsItsCertificateIfTheNextHasTheKeyOfAnother() throws Exception {
		ServingCertificate next = TestCertificates.create(Set.of("127.0.0.1"), CertificateTerms.DEFAULT, Instant.now());
		assertThatExceptionOfType(IllegalStateException.class)
			.isThrownBy(() -> this.server
				.use(new ServingCertificate(next.certificate(), this.certificate.key(), next.authorities())))
			.withMessage("Failed to take a new certificate: the private key is not that of the certificate");
		assertThat(
				status(client(this.certificate, HttpClient.Version.HTTP_1_1), review(Reviews.secret("foo", "", false))))
			.isEqualTo(200);
		this.server.use(next);
		assertThat(status(client(next, HttpClient.Version.HTTP_1_1), review(Reviews.secret("foo", "", false))))
			.isEqualTo(200);
		assertThat(this.server.problem()).isNull();
	}

	@Test
	void keepsItsCertificateIfTheNextIsBad() throws Exception {
		assertThatExceptionOfType(IllegalStateException.class)
			.isThrownBy(() -> this.server.use(new ServingCertificate("no", "certificate", null)));
		assertThat(this.server.problem()).startsWith("Failed to take a new certificate");
		assertThat(
				status(client(this.certificate, HttpClient.Version.HTTP_1_1), review(Reviews.secret("foo", "", false))))
			.isEqualTo(200);
		this.server.use(this.certificate);
		assertThat(this.server.problem()).isNull();
	}

	/*
	 * The server says whether it refused. A client that is still sending may see the end
	 * of the connection only, and that of the JDK now and then misses even this in
	 * HTTP/2, so only that of HTTP/1.1 is asked.
	 */
	private void refuses(HttpClient.Version version, HttpRequest request, int times) throws Exception {
		CompletableFuture<HttpResponse<byte[]>> answer = client(this.certificate, version).sendAsync(request,
				BodyHandlers.ofByteArray());
		awaitRefused(413, times);
		if (version == HttpClient.Version.HTTP_1_1) {
			int status = answer.handle((response, cut) -> (response == null) ? 413 : response.statusCode())
				.get(60, TimeUnit.SECONDS);
			assertThat(status).isEqualTo(413);
		}
	}

	private HttpRequest review(String body) {
		return request(PATH).POST(BodyPublishers.ofString(body)).build();
	}

	private HttpRequest.Builder request(String path) {
		return HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + this.server.port() + path))
			.timeout(Duration.ofSeconds(60))
			.header("Content-Type", "application/json");
	}

	private static int status(HttpClient client, HttpRequest request) throws IOException, InterruptedException {
		return client.send(request, BodyHandlers.ofByteArray()).statusCode();
	}

	private SSLSocket socket() throws Exception {
		return socket(this.server);
	}

	private SSLSocket socket(WebhookServer to) throws Exception {
		SSLSocket socket = (SSLSocket) TestCertificates.trusting(this.certificate)
			.getSocketFactory()
			.createSocket("127.0.0.1", to.port());
		socket.setSoTimeout(60_000);
		return socket;
	}

	private static boolean ends(InputStream in) throws IOException {
		try {
			return in.read() < 0;
		}
		catch (java.net.SocketTimeoutException ex) {
			return false;
		}
		catch (IOException reset) {
			return true;
		}
	}

	private static HttpClient client(ServingCertificate trusted, HttpClient.Version version) throws Exception {
		return HttpClient.newBuilder().sslContext(TestCertificates.trusting(trusted)).version(version).build();
	}

}
