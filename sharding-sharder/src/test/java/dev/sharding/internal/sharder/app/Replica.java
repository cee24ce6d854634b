package dev.sharding.internal.sharder.app;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import dev.sharding.test.Ports;

/**
 * The program as a process of its own, as a container of the image runs it.
 */
final class Replica implements AutoCloseable {

	private static final HttpClient HTTP = HttpClient.newHttpClient();

	private final int port = Ports.next();

	private final int webhookPort = Ports.next();

	private final Path log;

	private final Process process;

	/**
	 * Starts a replica.
	 * @param log where its output goes
	 * @param url where the API server reaches the webhook
	 */
	Replica(Image image, Path log, Path kubeconfig, String url, List<String> arguments) throws IOException {
		this.log = log;
		List<String> all = new ArrayList<>(List.of("--server.address=127.0.0.1", "--server.port=" + this.port,
				"--sharding.sharder.mode=both", "--sharding.sharder.webhook.bind-address=127.0.0.1",
				"--sharding.sharder.webhook.port=" + this.webhookPort, "--sharding.sharder.webhook.url=" + url));
		all.addAll(arguments);
		ProcessBuilder builder = image.start(log, all.toArray(String[]::new));
		builder.environment().put("KUBECONFIG", kubeconfig.toAbsolutePath().toString());
		this.process = builder.start();
	}

	int webhookPort() {
		return this.webhookPort;
	}

	boolean isReady() throws IOException, InterruptedException {
		return get("/readyz").statusCode() == 200;
	}

	boolean isLeader() throws IOException, InterruptedException {
		return get("/actuator/health").body().contains("\"elected\":true");
	}

	HttpResponse<String> get(String path) throws IOException, InterruptedException {
		if (!this.process.isAlive()) {
			throw new IllegalStateException("The replica has ended, see " + this.log);
		}
		return HTTP.send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + this.port + path))
			.timeout(Duration.ofSeconds(30))
			.build(), BodyHandlers.ofString());
	}

	String log() throws IOException {
		return Files.readString(this.log);
	}

	/** As the kubelet does. */
	void stop() throws InterruptedException {
		this.process.destroy();
		if (!this.process.waitFor(60, TimeUnit.SECONDS)) {
			throw new IllegalStateException("The replica does not stop, see " + this.log);
		}
	}

	void kill() {
		this.process.destroyForcibly().onExit().join();
	}

	@Override
	public void close() {
		kill();
	}

}
