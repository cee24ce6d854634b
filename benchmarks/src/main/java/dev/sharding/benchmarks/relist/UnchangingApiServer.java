package dev.sharding.benchmarks.relist;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.Semaphore;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import org.jspecify.annotations.Nullable;

/**
 * Streams ConfigMaps of 1 KiB, as an API server does, managed fields included: the same
 * ones in the same versions whenever it is asked. Then nothing happens until it is told
 * that the version of the watch has expired. Lives as long as the process.
 */
final class UnchangingApiServer {

	/** What to ask for to have the watch end so that its client lists anew. */
	static final String EXPIRE = "/expire";

	private static final String EXPIRED = """
			{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired",\
			"message":"too old resource version","code":410}}
			""";

	private static final char[] PASSWORD = "changeit".toCharArray();

	private final byte[] events;

	private final HttpServer server;

	private final String scheme;

	/** Ends the newest watch. Those of clients that have gone stay as they are. */
	private volatile Semaphore expiry = new Semaphore(0);

	/**
	 * Starts a server.
	 * @param events what every watch begins with
	 * @param keys where to keep the key for TLS, or {@code null} to do without
	 */
	UnchangingApiServer(byte[] events, @Nullable Path keys)
			throws IOException, GeneralSecurityException, InterruptedException {
		this.events = events;
		InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
		if (keys != null) {
			HttpsServer secured = HttpsServer.create(address, 0);
			secured.setHttpsConfigurator(new HttpsConfigurator(tls(keys)));
			this.server = secured;
			this.scheme = "https";
		}
		else {
			this.server = HttpServer.create(address, 0);
			this.scheme = "http";
		}
		// A watch never ends by itself, so each needs a thread.
		this.server.setExecutor((task) -> {
			Thread thread = new Thread(task, "unchanging-api-server");
			thread.setDaemon(true);
			thread.start();
		});
		this.server.createContext("/", this::watch);
		this.server.createContext(EXPIRE, this::expire);
		this.server.start();
	}

	String url() {
		return this.scheme + "://127.0.0.1:" + this.server.getAddress().getPort();
	}

	private void watch(HttpExchange exchange) throws IOException {
		Semaphore expired = new Semaphore(0);
		this.expiry = expired;
		exchange.getResponseHeaders().set("Content-Type", "application/json");
		exchange.sendResponseHeaders(200, 0);
		try (OutputStream body = exchange.getResponseBody()) {
			body.write(this.events);
			body.flush();
			expired.acquireUninterruptibly();
			body.write(EXPIRED.getBytes(StandardCharsets.UTF_8));
		}
	}

	private void expire(HttpExchange exchange) throws IOException {
		exchange.sendResponseHeaders(200, -1);
		exchange.close();
		this.expiry.release();
	}

	/** The objects as a watch tells them, and that they were all. */
	static byte[] events(int objects) throws IOException {
		Random random = new Random(1);
		byte[] data = new byte[768];
		ByteArrayOutputStream events = new ByteArrayOutputStream();
		for (int i = 0; i < objects; i++) {
			random.nextBytes(data);
			event(events, "ADDED", """
					"name":"object-%d","namespace":"default","uid":"%s","resourceVersion":"%d",\
					"creationTimestamp":"2026-01-01T00:00:00Z","labels":{"app":"%d"},"managedFields":[\
					{"manager":"bench","operation":"Update","apiVersion":"v1","time":"2026-01-01T00:00:00Z",\
					"fieldsType":"FieldsV1","fieldsV1":{"f:data":{".":{},"f:d":{}},"f:metadata":{"f:labels":\
					{".":{},"f:app":{}}}}}]""".formatted(i, new UUID(random.nextLong(), random.nextLong()), i + 1,
					i % 10), Base64.getEncoder().encodeToString(data));
		}
		event(events, "BOOKMARK", """
				"resourceVersion":"%d","annotations":{"k8s.io/initial-events-end":"true"}""".formatted(objects), "");
		return events.toByteArray();
	}

	private static void event(OutputStream events, String type, String metadata, String data) throws IOException {
		events.write("""
				{"type":"%s","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{%s},"data":{"d":"%s"}}}
				""".formatted(type, metadata, data).getBytes(StandardCharsets.UTF_8));
	}

	private static SSLContext tls(Path store) throws IOException, GeneralSecurityException, InterruptedException {
		Files.deleteIfExists(store);
		Process keytool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
				"-genkeypair", "-alias", "key", "-keyalg", "EC", "-dname", "CN=localhost", "-storetype", "PKCS12",
				"-keystore", store.toString(), "-storepass", new String(PASSWORD))
			.redirectErrorStream(true)
			.redirectOutput(ProcessBuilder.Redirect.DISCARD)
			.start();
		if (keytool.waitFor() != 0) {
			throw new IOException("keytool failed");
		}
		KeyStore keys = KeyStore.getInstance("PKCS12");
		try (InputStream in = Files.newInputStream(store)) {
			keys.load(in, PASSWORD);
		}
		KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
		managers.init(keys, PASSWORD);
		SSLContext tls = SSLContext.getInstance("TLS");
		tls.init(managers.getKeyManagers(), null, null);
		return tls;
	}

}
