package dev.sharding.benchmarks.startup;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.sharding.benchmarks.cluster.Launch;
import dev.sharding.benchmarks.cluster.Waiting;
import dev.sharding.test.WatchedProcess;

/** One run of an application, as its Actuator shows it. */
final class Application {

	private static final Duration PATIENCE = Duration.ofMinutes(1);

	private static final Pattern VALUE = Pattern.compile("\"value\":([0-9.E-]+)");

	private final HttpClient http = HttpClient.newHttpClient();

	private final WatchedProcess process;

	private final int port;

	private Application(WatchedProcess process, int port) {
		this.process = process;
		this.port = port;
	}

	/**
	 * Starts an application.
	 * @param prefix what runs the command, or nothing
	 * @param launch how the JVM is started
	 * @param main its main class, in the jar of this module
	 * @param libraries its class path besides
	 * @param environment variables that say where the API server is
	 * @param log where its output goes
	 * @param arguments its properties
	 */
	static Application start(List<String> prefix, Launch launch, Class<?> main, List<Path> libraries,
			Map<String, String> environment, Path log, String... arguments) throws IOException {
		int port;
		try (ServerSocket free = new ServerSocket(0)) {
			port = free.getLocalPort();
		}
		List<String> command = new ArrayList<>(List.of("/usr/bin/env"));
		environment.forEach((name, value) -> command.add(name + "=" + value));
		command.addAll(prefix);
		List<String> program = new ArrayList<>(List.of("-cp",
				jar() + ":" + libraries.stream().map(Path::toString).collect(Collectors.joining(":")), main.getName(),
				"--server.port=" + port, "--management.endpoints.web.exposure.include=health,metrics"));
		program.addAll(List.of(arguments));
		command.addAll(launch.command(program));
		return new Application(WatchedProcess.start(command, log), port);
	}

	/* A cache of classes wants jars. */
	private static Path jar() throws IOException {
		try (Stream<Path> files = Files.list(Path.of("benchmarks/target"))) {
			return files.filter((file) -> file.getFileName().toString().matches("sharding-benchmarks-[0-9].*\\.jar"))
				.max(Comparator.naturalOrder())
				.orElseThrow(() -> new IllegalStateException("There is no jar of the benchmarks"));
		}
	}

	WatchedProcess process() {
		return this.process;
	}

	/**
	 * From the call of SpringApplication.run to ApplicationReadyEvent, once that has
	 * come.
	 */
	Duration readyTime() {
		Waiting.until("an application to be ready", PATIENCE, () -> !Double.isNaN(meter("application.ready.time")));
		return Duration.ofMillis((long) (meter("application.ready.time") * 1000));
	}

	/**
	 * Reads a meter.
	 * @return the first value of the sum over all tags, not a number if there is none yet
	 */
	double meter(String name) {
		HttpRequest request = HttpRequest
			.newBuilder(URI.create("http://127.0.0.1:" + this.port + "/actuator/metrics/" + name))
			.build();
		try {
			HttpResponse<String> answer = this.http.send(request, HttpResponse.BodyHandlers.ofString());
			Matcher value = VALUE.matcher(answer.body());
			return value.find() ? Double.parseDouble(value.group(1)) : Double.NaN;
		}
		catch (IOException ex) {
			if (!this.process.isAlive()) {
				throw new IllegalStateException("An application has ended, see benchmarks/target/startup", ex);
			}
			return Double.NaN;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted", ex);
		}
	}

}
