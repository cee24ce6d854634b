package dev.sharding.test;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import org.jspecify.annotations.Nullable;

/**
 * A proxy before an API server that spoils answers. Every request reaches the API server
 * as the user, and what it answers comes back, streams as they flow; where the test says
 * so, something else comes back in its place. It is for answers that a healthy API server
 * does not give: garbage, pages of a load balancer, another {@code Retry-After}. Clients
 * speak plain HTTP to it. Upgrades to web sockets do not pass.
 */
public final class AnswerProxy implements AutoCloseable {

	/* The JDK sets these by itself. */
	private static final Set<String> OURS = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);

	static {
		OURS.addAll(List.of("Connection", "Content-Length", "Date", "Expect", "Host", "Http2-Settings", "Keep-Alive",
				"Transfer-Encoding", "Upgrade"));
	}

	private static final int CHUNK = 8 * 1024;

	private final Config target;

	private final HttpClient upstream;

	private final HttpServer server;

	private final Consumer<Request> arriving;

	private final Function<Request, @Nullable Answer> spoiled;

	private final List<Request> requests = new CopyOnWriteArrayList<>();

	private final Set<InputStream> open = ConcurrentHashMap.newKeySet();

	private AnswerProxy(Access access, Consumer<Request> arriving, Function<Request, @Nullable Answer> spoiled)
			throws IOException {
		this.target = access.config();
		this.arriving = arriving;
		this.spoiled = spoiled;
		this.upstream = access.jdkClient();
		this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		this.server.setExecutor((task) -> Daemons.start("answer-proxy", task));
		this.server.createContext("/", this::pass);
		this.server.start();
	}

	/**
	 * Opens a proxy.
	 * @param access the API server, and as whom requests are sent
	 * @param spoiled what comes back in place of the answer to a request, {@code null}
	 * for the answer itself. Called when the API server has answered, from any thread
	 * @return the proxy; close it after its clients
	 */
	public static AnswerProxy before(Access access, Function<Request, @Nullable Answer> spoiled) {
		return before(access, (request) -> {
		}, spoiled);
	}

	/**
	 * Opens a proxy that can keep requests from the API server for a while.
	 * @param access the API server, and as whom requests are sent
	 * @param arriving called before a request is sent on, from any thread; until it
	 * returns, the request is on its way
	 * @param spoiled as above; until it returns, the answer is on its way
	 * @return the proxy; close it after its clients
	 */
	public static AnswerProxy before(Access access, Consumer<Request> arriving,
			Function<Request, @Nullable Answer> spoiled) {
		try {
			return new AnswerProxy(access, arriving, spoiled);
		}
		catch (IOException ex) {
			throw new IllegalStateException("Failed to open a proxy", ex);
		}
	}

	/**
	 * A configuration for a client of the proxy. It takes nothing from the environment.
	 */
	public Config config() {
		return new ConfigBuilder(Config.empty()).withMasterUrl("http://127.0.0.1:" + this.server.getAddress().getPort())
			.withNamespace("default")
			.build();
	}

	/** The requests that came so far, in order. */
	public List<Request> requests() {
		return List.copyOf(this.requests);
	}

	private void pass(HttpExchange exchange) throws IOException {
		try (exchange) {
			Request request;
			synchronized (this.requests) {
				request = new Request(this.requests.size(), exchange.getRequestMethod(),
						exchange.getRequestURI().getPath(), String.valueOf(exchange.getRequestURI().getQuery()),
						System.nanoTime());
				this.requests.add(request);
			}
			this.arriving.accept(request);
			HttpResponse<InputStream> response = this.upstream.send(toUpstream(exchange), BodyHandlers.ofInputStream());
			try (InputStream body = response.body()) {
				this.open.add(body);
				Answer instead = this.spoiled.apply(request);
				if (instead == null) {
					response.headers().map().forEach((name, values) -> copy(name, values, exchange));
					send(exchange, response.statusCode(), body);
				}
				else {
					exchange.getResponseHeaders().set("Content-Type", "application/json");
					instead.headers().forEach(exchange.getResponseHeaders()::set);
					send(exchange, instead.status(),
							new ByteArrayInputStream(instead.body().getBytes(StandardCharsets.UTF_8)));
				}
			}
			finally {
				this.open.remove(response.body());
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private HttpRequest toUpstream(HttpExchange exchange) throws IOException {
		byte[] body = exchange.getRequestBody().readAllBytes();
		HttpRequest.Builder request = HttpRequest
			.newBuilder(URI.create(this.target.getMasterUrl()).resolve(exchange.getRequestURI()))
			.method(exchange.getRequestMethod(),
					(body.length > 0) ? BodyPublishers.ofByteArray(body) : BodyPublishers.noBody());
		exchange.getRequestHeaders().forEach((name, values) -> {
			if (!OURS.contains(name)) {
				values.forEach((value) -> request.header(name, value));
			}
		});
		return request.setHeader("Authorization", "Bearer " + this.target.getOauthToken()).build();
	}

	private static void copy(String name, List<String> values, HttpExchange exchange) {
		if (!name.startsWith(":") && !OURS.contains(name)) {
			exchange.getResponseHeaders().put(name, values);
		}
	}

	private static void send(HttpExchange exchange, int status, InputStream body) throws IOException {
		byte[] chunk = new byte[CHUNK];
		exchange.sendResponseHeaders(status, 0);
		OutputStream out = exchange.getResponseBody();
		for (int length = body.read(chunk); length >= 0; length = body.read(chunk)) {
			out.write(chunk, 0, length);
			out.flush();
		}
	}

	/** Ends all streams and stops listening. */
	@Override
	public void close() {
		this.server.stop(0);
		for (InputStream stream : this.open) {
			try {
				stream.close();
			}
			catch (IOException ex) {
				// It has ended.
			}
		}
	}

	/**
	 * A request that passed.
	 *
	 * @param number its place among all, from zero
	 * @param method such as "GET"
	 * @param path such as "/api/v1/secrets"
	 * @param query what stands behind the path, "null" if nothing does
	 * @param nanos when it came, of {@link System#nanoTime()}
	 */
	public record Request(int number, String method, String path, String query, long nanos) {
	}

	/**
	 * What comes back in place of an answer.
	 *
	 * @param status the status code
	 * @param headers headers besides the content type, which is JSON unless they say
	 * otherwise
	 * @param body the body, as text
	 */
	public record Answer(int status, Map<String, String> headers, String body) {
	}

}
