package dev.sharding.benchmarks.readafterwrite;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

/**
 * Fills an informer with ConfigMaps and says nothing more, so that nothing but the reads
 * runs while reads are measured. Lives as long as the process.
 */
final class SilentApiServer {

	private final int objects;

	private final HttpServer server;

	SilentApiServer(int objects) throws IOException {
		this.objects = objects;
		this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		// A watch never ends, so each needs a thread.
		this.server.setExecutor((task) -> {
			Thread thread = new Thread(task, "silent-api-server");
			thread.setDaemon(true);
			thread.start();
		});
		this.server.createContext("/", this::answer);
		this.server.start();
	}

	String url() {
		return "http://127.0.0.1:" + this.server.getAddress().getPort();
	}

	static String name(int number) {
		return "object-" + number;
	}

	private void answer(HttpExchange exchange) throws IOException {
		exchange.getResponseHeaders().set("Content-Type", "application/json");
		exchange.sendResponseHeaders(200, 0);
		OutputStream body = exchange.getResponseBody();
		StringBuilder events = new StringBuilder();
		for (int i = 0; i < this.objects; i++) {
			event(events, "ADDED", """
					"name":"%s","namespace":"default","uid":"uid-%d","resourceVersion":"%d","labels":{"app":"%d"}"""
				.formatted(name(i), i, i + 1, i % 10));
		}
		event(events, "BOOKMARK", """
				"resourceVersion":"%d","annotations":{"k8s.io/initial-events-end":"true"}""".formatted(this.objects));
		body.write(events.toString().getBytes(StandardCharsets.UTF_8));
		body.flush();
		// The exchange stays open: a watch on which nothing happens.
	}

	private static void event(StringBuilder events, String type, String metadata) {
		events.append("{\"type\":\"")
			.append(type)
			.append("\",\"object\":{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{")
			.append(metadata)
			.append("},\"data\":{\"key\":\"value\"}}}\n");
	}

}
