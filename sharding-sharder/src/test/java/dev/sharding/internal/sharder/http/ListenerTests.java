package dev.sharding.internal.sharder.http;

import java.io.IOException;
import java.io.OutputStream;
import java.net.BindException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

import javax.net.ssl.SSLSocket;

import dev.sharding.internal.sharder.tls.CertificateTerms;
import dev.sharding.internal.sharder.tls.ServingCertificate;
import dev.sharding.internal.sharder.tls.TestCertificates;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.PoolArenaMetric;
import io.netty.buffer.PooledByteBufAllocator;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

class ListenerTests {

	private static final Duration LONG = Duration.ofSeconds(60);

	private static final ConnectionLimits FOUR = new ConnectionLimits(4, 4, LONG, LONG);

	private static final RequestLimits REQUESTS = new RequestLimits(1024, 1024, 1024, LONG);

	/* More than sockets keep. */
	private static final Buffer LARGE = Buffer.buffer("a".repeat(16_000_000));

	private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

	private final ServingCertificate certificate = TestCertificates.create(Set.of("127.0.0.1"),
			CertificateTerms.DEFAULT, Instant.now());

	private final WebStack stack = new WebStack();

	private final AtomicInteger hanging = new AtomicInteger();

	private final List<Socket> sockets = new ArrayList<>();

	@AfterEach
	void close() throws IOException {
		for (Socket socket : this.sockets) {
			socket.close();
		}
		this.stack.close();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void endsTheConnectionThatIsIdleLongestForAFurtherOne(boolean tls) throws Exception {
		Listener listener = listen(FOUR, REQUESTS, tls);
		List<Socket> open = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			open.add(speak(listener, tls));
		}
		assertThat(get(open.get(0))).isEqualTo("HTTP/1.1 200");
		speak(listener, tls);
		assertThat(ends(open.get(1))).isTrue();
		assertThat(refused("idle")).isEqualTo(1);
		assertThat(refused("connections")).isZero();
		for (int i : new int[] { 0, 2, 3 }) {
			assertThat(get(open.get(i))).isEqualTo("HTTP/1.1 200");
		}
		await().atMost(LONG)
			.until(() -> this.registry.get("controller.sharding.server.connections").gauge().value() == 4);
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void refusesConnectionsAboveItsLimitWhileNoneIsIdle(boolean tls) throws Exception {
		Listener listener = listen(FOUR, REQUESTS, tls);
		List<Socket> open = fill(listener, tls);
		assertThat(ends(open(listener, tls))).isTrue();
		assertThat(refused("connections")).isEqualTo(1);
		assertThat(refused("idle")).isZero();
		open.get(0).close();
		await().atMost(LONG)
			.until(() -> this.registry.get("controller.sharding.server.connections").gauge().value() == 3);
		speak(listener, tls);
	}

	@Test
	void oneListenerThatIsFullDoesNotKeepOthersFromAnother() throws Exception {
		Listener full = listen(FOUR, REQUESTS, true);
		Listener other = listen(FOUR, REQUESTS, false);
		fill(full, true);
		assertThat(ends(open(full, true))).isTrue();
		speak(other, false);
	}

	/* With requests that have no answer. */
	private List<Socket> fill(Listener listener, boolean tls) throws Exception {
		List<Socket> open = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			Socket socket = speak(listener, tls);
			socket.getOutputStream().write(head("GET", "/hangs", "").getBytes(StandardCharsets.US_ASCII));
			socket.getOutputStream().flush();
			int hanging = i + 1;
			await().atMost(LONG).until(() -> this.hanging.get() == hanging);
			open.add(socket);
		}
		return open;
	}

	@Test
	void handshakesThatGoNowhereKeepNobodyOut() throws Exception {
		Listener listener = listen(FOUR, REQUESTS, true);
		List<Socket> silent = new ArrayList<>();
		for (int i = 0; i < 20; i++) {
			Socket socket = keep(new Socket("127.0.0.1", listener.port()));
			silent.add(socket);
			if (i % 2 == 0) {
				// A byte of a hello.
				socket.getOutputStream().write(22);
				socket.getOutputStream().flush();
			}
		}
		await().atMost(LONG).untilAsserted(() -> assertThat(refused("handshakes")).isEqualTo(16));
		// The oldest have ended, others wait still.
		assertThat(ends(silent.get(0))).isTrue();
		speak(listener, true);
		assertThat(refused("handshakes")).isEqualTo(17);
	}

	@Test
	void endsAHandshakeThatTakesTooLong() throws Exception {
		Listener listener = listen(new ConnectionLimits(4, 4, Duration.ofMillis(200), LONG), REQUESTS, true);
		assertThat(ends(keep(new Socket("127.0.0.1", listener.port())))).isTrue();
		assertThat(refused("handshakes")).isZero();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void endsAConnectionWhoseFirstHeadTakesTooLong(boolean tls) throws Exception {
		Listener listener = listen(FOUR, new RequestLimits(1024, 1024, 1024, Duration.ofMillis(200)), tls);
		Socket socket = open(listener, tls);
		OutputStream out = socket.getOutputStream();
		out.write("GET / HTTP/1.1\r\nHost: a\r\n".getBytes(StandardCharsets.US_ASCII));
		out.flush();
		// A line now and then does not help.
		awaitEnd(socket, "A: b\r\n");
	}

	@Test
	void refusesLargeHeads() throws Exception {
		Listener listener = listen(FOUR, REQUESTS, false);
		Socket socket = open(listener, false);
		socket.getOutputStream()
			.write(("GET / HTTP/1.1\r\nHost: a\r\nA: " + "b".repeat(2000) + "\r\n\r\n")
				.getBytes(StandardCharsets.US_ASCII));
		socket.getOutputStream().flush();
		assertThat(read(socket)).isEqualTo("HTTP/1.1 431");
		assertThat(refused("malformed")).isEqualTo(1);
		speak(listener, false);
	}

	@Test
	void refusesLargeHeadsInHttp2() throws Exception {
		Listener listener = listen(FOUR, REQUESTS, true);
		HttpClient client = http2();
		HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + listener.port() + "/"))
			.timeout(LONG);
		assertThat(client.send(request.build(), BodyHandlers.discarding()).version())
			.isEqualTo(HttpClient.Version.HTTP_2);
		HttpRequest large = request.header("A", "b".repeat(8000)).build();
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> {
			int status = client.send(large, BodyHandlers.discarding()).statusCode();
			if (status == 431) {
				throw new IOException("refused");
			}
		});
	}

	@Test
	void takesFewRequestsAtATimeOfOneConnection() throws Exception {
		Listener listener = listen(FOUR, REQUESTS, true);
		HttpClient client = http2();
		HttpRequest.Builder request = HttpRequest.newBuilder().timeout(LONG);
		URI listening = URI.create("https://127.0.0.1:" + listener.port() + "/");
		assertThat(client.send(request.uri(listening).build(), BodyHandlers.discarding()).statusCode()).isEqualTo(200);
		List<CompletableFuture<?>> sent = new ArrayList<>();
		for (int i = 0; i < 20; i++) {
			sent.add(client.sendAsync(request.uri(listening.resolve("/hangs")).build(), BodyHandlers.discarding()));
		}
		// The client keeps to what the listener says, and refuses the others itself.
		await().atMost(LONG)
			.until(() -> sent.stream().filter(CompletableFuture::isCompletedExceptionally).count() == 4);
		await().atMost(LONG).until(() -> this.hanging.get() == 16);
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void answersAFewPipelinedRequestsInTheirOrder(boolean tls) throws Exception {
		Listener listener = listen(FOUR, REQUESTS, tls);
		Socket socket = open(listener, tls);
		for (int i = 0; i < 100; i++) {
			socket.getOutputStream()
				.write((head("POST", "/continues", "Expect: 100-continue\r\nContent-Length: 2\r\n") + "{}"
						+ head("GET", "/", "").repeat(15))
					.getBytes(StandardCharsets.US_ASCII));
			socket.getOutputStream().flush();
			assertThat(answer(socket)).isEqualTo("HTTP/1.1 100");
			for (int answers = 0; answers < 16; answers++) {
				assertThat(answer(socket)).isEqualTo("HTTP/1.1 200");
			}
		}
		assertThat(refused("pipelined")).isZero();
	}

	@ParameterizedTest
	@CsvSource({ "/hangs,false", "/,false", "/large,false", "/hangs,true", "/large,true" })
	void endsAConnectionThatSendsRequestsAndTakesNoAnswers(String path, boolean tls) throws Exception {
		Listener listener = listen(FOUR, REQUESTS, tls);
		Socket socket = open(listener, tls);
		awaitEnd(socket, head("GET", path, "").repeat(1000));
		assertThat(refused("pipelined")).isEqualTo(1);
		await().atMost(LONG)
			.until(() -> this.registry.get("controller.sharding.server.connections").gauge().value() == 0);
		assertThat(this.hanging.get()).isLessThanOrEqualTo(1);
		speak(listener, tls);
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void endsAConnectionThatDoesNotTakeItsAnswerForAFurtherOne(boolean tls) throws Exception {
		Listener listener = listen(FOUR, REQUESTS, tls);
		Socket reader = open(listener, tls);
		reader.getOutputStream().write(head("GET", "/large", "").getBytes(StandardCharsets.US_ASCII));
		reader.getOutputStream().flush();
		assertThat(read(reader)).isEqualTo("HTTP/1.1 200");
		for (int i = 0; i < 4; i++) {
			speak(listener, tls);
		}
		assertThat(refused("idle")).isEqualTo(1);
		awaitEnd(reader, "A");
		assertThat(rest(reader)).isLessThan(LARGE.length());
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void cutsOffWhoeverTakesNoAnswer(boolean tls) throws Exception {
		Listener listener = listen(FOUR, REQUESTS, tls);
		Socket reader = open(listener, tls);
		reader.getOutputStream().write(head("GET", "/cut", "").getBytes(StandardCharsets.US_ASCII));
		reader.getOutputStream().flush();
		awaitEnd(reader, "A");
		assertThat(rest(reader)).isLessThan(LARGE.length());
	}

	@Test
	void endsAConnectionThatGoesOnToSendAndTakesNoAnswer() throws Exception {
		Listener listener = listen(new ConnectionLimits(4, 4, LONG, Duration.ofSeconds(1)), REQUESTS, false);
		Socket socket = open(listener, false);
		socket.getOutputStream().write(head("GET", "/large", "").getBytes(StandardCharsets.US_ASCII));
		awaitEnd(socket, "A");
		assertThat(rest(socket)).isLessThan(LARGE.length());
	}

	/* It goes on to send, and reads nothing. */
	private static void awaitEnd(Socket socket, String more) {
		await().atMost(LONG).until(() -> {
			try {
				socket.getOutputStream().write(more.getBytes(StandardCharsets.US_ASCII));
				socket.getOutputStream().flush();
				return false;
			}
			catch (IOException ended) {
				return true;
			}
		});
	}

	@Test
	void keepsNothingOfWhatFollowsALastRequest() throws Exception {
		Listener listener = listen(FOUR, REQUESTS, false);
		speak(listener, false).close();
		long before = buffers();
		for (String last : new String[] { "GET / HTTP/1.1\r\nConnection: close\r\n\r\n", "GET / HTTP/1.0\r\n\r\n" }) {
			for (int i = 0; i < 20; i++) {
				Socket socket = open(listener, false);
				byte[] more = (head("POST", "/", "Content-Length: 200000\r\n") + "a".repeat(200_000))
					.getBytes(StandardCharsets.US_ASCII);
				socket.getOutputStream().write(last.getBytes(StandardCharsets.US_ASCII));
				try {
					socket.getOutputStream().write(more);
				}
				catch (IOException ended) {
					// The end was faster.
				}
				assertThat(ends(socket)).isTrue();
				socket.close();
			}
		}
		await().atMost(LONG).until(() -> buffers() <= before + 2);
	}

	/* Those from the pool of connections without TLS that are in use. */
	private static long buffers() {
		return PooledByteBufAllocator.DEFAULT.metric()
			.directArenas()
			.stream()
			.mapToLong(PoolArenaMetric::numActiveAllocations)
			.sum();
	}

	/* How much came before the end. */
	private static long rest(Socket socket) {
		long length = 0;
		try {
			byte[] some = new byte[100_000];
			for (int read = socket.getInputStream().read(some); read >= 0; read = socket.getInputStream().read(some)) {
				length += read;
			}
		}
		catch (IOException reset) {
			// It is over, too.
		}
		return length;
	}

	private static String head(String method, String path, String more) {
		return method + " " + path + " HTTP/1.1\r\nHost: a\r\n" + more + "\r\n";
	}

	private HttpClient http2() throws Exception {
		return HttpClient.newBuilder()
			.version(HttpClient.Version.HTTP_2)
			.sslContext(TestCertificates.trusting(this.certificate))
			.build();
	}

	@Test
	void speaksNoOldTls() throws Exception {
		Listener listener = listen(FOUR, REQUESTS, true);
		for (String protocol : new String[] { "TLSv1.2", "TLSv1.3" }) {
			SSLSocket socket = (SSLSocket) open(listener, true);
			socket.setEnabledProtocols(new String[] { protocol });
			socket.startHandshake();
			assertThat(socket.getSession().getProtocol()).isEqualTo(protocol);
		}
		// A client of the JDK refuses older ones itself, so this is what a server offers.
		assertThat(listener.serverOptions().getEnabledSecureTransportProtocols()).containsExactlyInAnyOrder("TLSv1.2",
				"TLSv1.3");
	}

	@Test
	void twoListenersDoNotShareAnAddress() throws Exception {
		Listener first = listen(FOUR, REQUESTS, false);
		ServerOptions taken = new ServerOptions("127.0.0.1", first.port(), FOUR, REQUESTS);
		for (int i = 0; i < 2; i++) {
			assertThatExceptionOfType(ExecutionException.class).isThrownBy(create(taken, false)::listen)
				.withCauseInstanceOf(BindException.class);
		}
		first.close();
		Listener second = create(taken, false);
		second.listen();
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(create(taken, false)::listen)
			.withCauseInstanceOf(BindException.class);
		speak(second, false);
	}

	private Listener listen(ConnectionLimits connections, RequestLimits requests, boolean tls) throws Exception {
		Listener listener = create(new ServerOptions("127.0.0.1", 0, connections, requests), tls);
		listener.listen();
		return listener;
	}

	private Listener create(ServerOptions options, boolean tls) throws Exception {
		CurrentKey key = new CurrentKey();
		key.use(this.certificate);
		return new Listener(this.stack, options, tls ? key : null, this::answer,
				new ServerMetrics(this.registry, tls ? "tls" : "plain"));
	}

	private void answer(HttpServerRequest request) {
		if ("/hangs".equals(request.path())) {
			this.hanging.incrementAndGet();
		}
		else if ("/continues".equals(request.path())) {
			request.response().writeContinue();
			request.endHandler((end) -> request.response().end());
		}
		else if ("/large".equals(request.path())) {
			request.response().end(LARGE.copy());
		}
		else if ("/cut".equals(request.path())) {
			request.response().end(LARGE.copy());
			Bodies.cutOff(request);
		}
		else {
			request.response().end();
		}
	}

	private double refused(String reason) {
		return this.registry.find("controller.sharding.server.refused")
			.tag("reason", reason)
			.counters()
			.stream()
			.mapToDouble(Counter::count)
			.sum();
	}

	private Socket speak(Listener listener, boolean tls) throws Exception {
		Socket socket = open(listener, tls);
		assertThat(get(socket)).isEqualTo("HTTP/1.1 200");
		return socket;
	}

	private Socket open(Listener listener, boolean tls) throws Exception {
		return keep(tls ? TestCertificates.trusting(this.certificate)
			.getSocketFactory()
			.createSocket("127.0.0.1", listener.port()) : new Socket("127.0.0.1", listener.port()));
	}

	private Socket keep(Socket socket) throws IOException {
		this.sockets.add(socket);
		socket.setSoTimeout((int) LONG.toMillis());
		return socket;
	}

	private static String get(Socket socket) throws IOException {
		socket.getOutputStream().write(head("GET", "/", "").getBytes(StandardCharsets.US_ASCII));
		socket.getOutputStream().flush();
		return answer(socket);
	}

	private static String answer(Socket socket) throws IOException {
		String status = read(socket);
		// The rest of the head; there is no body.
		StringBuilder head = new StringBuilder();
		while (!head.toString().endsWith("\r\n\r\n")) {
			head.append((char) socket.getInputStream().read());
		}
		return status;
	}

	private static String read(Socket socket) throws IOException {
		return new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII);
	}

	/* Something may come first, such as an alert of TLS. */
	private static boolean ends(Socket socket) {
		try {
			socket.getInputStream().readAllBytes();
			return true;
		}
		catch (java.net.SocketTimeoutException ex) {
			return false;
		}
		catch (IOException reset) {
			return true;
		}
	}

}
