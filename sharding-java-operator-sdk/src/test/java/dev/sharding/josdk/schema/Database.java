package dev.sharding.josdk.schema;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

/**
 * A database outside of the cluster, asked over the network: it has schemas with an
 * encoding and a user, and refuses to make what it has.
 */
final class Database implements AutoCloseable {

	private static final String SEPARATOR = "\n";

	private static final String MAKER = "X-Maker";

	private final Map<String, String> rows = new ConcurrentHashMap<>();

	/* The connection that made each schema. */
	private final Map<String, String> makers = new ConcurrentHashMap<>();

	/**
	 * What it refused to those who had not made it, in words. The SDK may try again to
	 * make what it has made: a poll that began before ends after, and shows nothing.
	 */
	final Queue<String> refused = new ConcurrentLinkedQueue<>();

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private final HttpServer server;

	Database() throws IOException {
		this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		this.server.createContext("/", this::answer);
		this.server.setExecutor(this.threads);
		this.server.start();
	}

	URI uri() {
		return URI.create("http://127.0.0.1:" + this.server.getAddress().getPort() + "/");
	}

	private void answer(HttpExchange exchange) throws IOException {
		String name = exchange.getRequestURI().getPath().substring(1);
		String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
		String found = switch (exchange.getRequestMethod()) {
			case "GET" -> this.rows.get(name);
			case "DELETE" -> this.rows.remove(name);
			case "PUT" -> this.rows.replace(name, body);
			default -> this.rows.putIfAbsent(name, body);
		};
		boolean creates = exchange.getRequestMethod().equals("POST");
		String maker = exchange.getRequestHeaders().getFirst(MAKER);
		if (creates && found == null) {
			this.makers.put(name, maker);
		}
		else if (creates && !maker.equals(this.makers.get(name))) {
			this.refused.add("to make " + name + " again");
		}
		int status = creates ? ((found != null) ? 409 : 201) : ((found != null) ? 200 : 404);
		byte[] answer = (found != null) ? found.getBytes(StandardCharsets.UTF_8) : new byte[0];
		exchange.sendResponseHeaders(status, (answer.length > 0) ? answer.length : -1);
		exchange.getResponseBody().write(answer);
		exchange.close();
	}

	@Override
	public void close() {
		this.server.stop(0);
		this.threads.shutdownNow();
	}

	/**
	 * A schema.
	 *
	 * @param name its name
	 * @param encoding of its texts
	 * @param password of its user
	 */
	record Row(String name, String encoding, String password) {
	}

	/** How an application asks it. */
	static final class Connection {

		private final HttpClient http = HttpClient.newHttpClient();

		private final String maker = UUID.randomUUID().toString();

		private final URI uri;

		Connection(URI uri) {
			this.uri = uri;
		}

		Optional<Row> find(String name) {
			HttpResponse<String> answer = send(name, HttpRequest.newBuilder().GET());
			if (answer.statusCode() == 404) {
				return Optional.empty();
			}
			String[] parts = answer.body().split(SEPARATOR, -1);
			return Optional.of(new Row(name, parts[0], parts[1]));
		}

		void create(Row row) {
			if (send(row.name(), HttpRequest.newBuilder().header(MAKER, this.maker).POST(body(row)))
				.statusCode() != 201) {
				throw new IllegalStateException("There is a schema " + row.name());
			}
		}

		void update(Row row) {
			if (send(row.name(), HttpRequest.newBuilder().PUT(body(row))).statusCode() != 200) {
				throw new IllegalStateException("There is no schema " + row.name());
			}
		}

		void drop(String name) {
			send(name, HttpRequest.newBuilder().DELETE());
		}

		private static HttpRequest.BodyPublisher body(Row row) {
			return HttpRequest.BodyPublishers.ofString(row.encoding() + SEPARATOR + row.password());
		}

		private HttpResponse<String> send(String name, HttpRequest.Builder request) {
			try {
				return this.http.send(request.uri(this.uri.resolve(name)).build(),
						HttpResponse.BodyHandlers.ofString());
			}
			catch (IOException ex) {
				throw new IllegalStateException("The database does not answer", ex);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				throw new IllegalStateException("Interrupted while the database was asked", ex);
			}
		}

	}

}
