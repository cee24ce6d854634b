package com.example.website;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

/** A DNS provider of the test's own. */
final class DnsProvider {

	final Map<String, String> records = new ConcurrentHashMap<>();

	final AtomicInteger changes = new AtomicInteger();

	/** How many changes are refused from now on. */
	final AtomicInteger refusals = new AtomicInteger();

	/** Whether changes are made, and answered as if they were not. */
	final AtomicBoolean losesAnswers = new AtomicBoolean();

	final String url;

	DnsProvider() {
		try {
			HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
			server.createContext("/records/", this::answer);
			server.start();
			this.url = "http://localhost:" + server.getAddress().getPort();
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private void answer(HttpExchange exchange) throws IOException {
		try (exchange) {
			exchange.sendResponseHeaders(status(exchange), -1);
		}
	}

	private int status(HttpExchange exchange) throws IOException {
		String host = exchange.getRequestURI().getPath().substring("/records/".length());
		if (exchange.getRequestMethod().equals("GET")) {
			return this.records.containsKey(host) ? 200 : 404;
		}
		if (this.refusals.getAndUpdate((left) -> Math.max(0, left - 1)) > 0) {
			return 503;
		}
		this.changes.incrementAndGet();
		if (exchange.getRequestMethod().equals("PUT")) {
			this.records.put(host, new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
			return this.losesAnswers.get() ? 503 : 204;
		}
		return (this.records.remove(host) != null) ? 204 : 404;
	}

}
