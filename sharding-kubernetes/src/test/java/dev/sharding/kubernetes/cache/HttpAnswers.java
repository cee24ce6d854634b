package dev.sharding.kubernetes.cache;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.stream.IntStream;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import org.jspecify.annotations.Nullable;

/**
 * Whatever stands before an API server, and answers in its place. The last answer is
 * repeated.
 */
final class HttpAnswers implements AutoCloseable {

	private final List<Answer> answers;

	/** When each request came, in nanoseconds. */
	final List<Long> arrivals = new CopyOnWriteArrayList<>();

	/** Happens before each answer. */
	volatile Runnable meanwhile = () -> {
	};

	/** What is said to a query, {@code null} for the next answer. */
	volatile Function<String, @Nullable Answer> byQuery = (query) -> null;

	/** What each request asked, behind its path. */
	final List<String> queries = new CopyOnWriteArrayList<>();

	final KubernetesClient client;

	private final HttpServer server;

	HttpAnswers(Answer... answers) {
		this.answers = List.of(answers);
		try {
			this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		this.server.createContext("/", this::answer);
		this.server.start();
		this.client = new KubernetesClientBuilder()
			.withConfig(new ConfigBuilder().withAutoConfigure(false)
				.withMasterUrl("http://127.0.0.1:" + this.server.getAddress().getPort())
				.build())
			.build();
	}

	static Answer ok(String body) {
		return new Answer(200, null, body);
	}

	static Answer refusal(int status, int retryAfterSeconds) {
		return new Answer(status, String.valueOf(retryAfterSeconds), "{}");
	}

	/** How long each request came after the one before. */
	List<Duration> pauses() {
		return IntStream.range(1, this.arrivals.size())
			.mapToObj((i) -> Duration.ofNanos(this.arrivals.get(i) - this.arrivals.get(i - 1)))
			.toList();
	}

	private void answer(HttpExchange exchange) throws IOException {
		int number = this.arrivals.size();
		this.arrivals.add(System.nanoTime());
		this.queries.add(String.valueOf(exchange.getRequestURI().getQuery()));
		Answer fixed = this.byQuery.apply(String.valueOf(exchange.getRequestURI().getQuery()));
		Answer answer = (fixed != null) ? fixed : this.answers.get(Math.min(number, this.answers.size() - 1));
		this.meanwhile.run();
		byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
		exchange.getResponseHeaders().set("Content-Type", "application/json");
		if (answer.retryAfter() != null) {
			exchange.getResponseHeaders().set("Retry-After", answer.retryAfter());
		}
		exchange.sendResponseHeaders(answer.status(), body.length);
		exchange.getResponseBody().write(body);
		exchange.close();
	}

	@Override
	public void close() {
		this.client.close();
		this.server.stop(0);
	}

	/** One answer. */
	record Answer(int status, @Nullable String retryAfter, String body) {
	}

}
