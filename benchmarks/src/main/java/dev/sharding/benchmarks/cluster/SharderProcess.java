package dev.sharding.benchmarks.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import dev.sharding.test.Ports;
import dev.sharding.test.WatchedProcess;

/**
 * The sharder as a program, as the image of it runs, with its metrics on a port of its
 * own.
 */
public final class SharderProcess implements AutoCloseable {

	private final WatchedProcess process;

	private final Path log;

	private final int port;

	private SharderProcess(WatchedProcess process, Path log, int port) {
		this.process = process;
		this.log = log;
		this.port = port;
	}

	/**
	 * Starts a sharder.
	 * @param kubeconfig says where the API server is, and who asks
	 * @param launch how its JVM is started
	 * @param arguments of the sharder
	 */
	public static SharderProcess start(Path kubeconfig, Launch launch, List<String> arguments) throws IOException {
		int port = Ports.next();
		Path log = Files.createTempFile("sharder-", ".log");
		List<String> program = new ArrayList<>(List.of("-XX:+ExitOnOutOfMemoryError", "-jar", jar().toString(),
				"--server.port=" + port, "--management.endpoints.web.exposure.include=health,prometheus"));
		program.addAll(arguments);
		List<String> command = new ArrayList<>(List.of("/usr/bin/env", "KUBECONFIG=" + kubeconfig));
		command.addAll(launch.command(program));
		return new SharderProcess(WatchedProcess.start(command, log), log, port);
	}

	/** The process id. */
	public long pid() {
		return this.process.pid();
	}

	/** Whether it runs. */
	public boolean isAlive() {
		return this.process.isAlive();
	}

	/** What it has logged. */
	public Path log() {
		return this.log;
	}

	/** CPU time that it has taken. */
	public Duration cpu() {
		if (!isAlive()) {
			throw new IllegalStateException("The sharder has ended, see " + this.log);
		}
		return Consumption.cpu(pid());
	}

	/** Memory that it holds. */
	public long residentMebibytes() throws IOException {
		return Consumption.residentBytes(pid()) >> 20;
	}

	/**
	 * The sum of a meter, as Prometheus reads it; 0 while the sharder does not answer.
	 * @param name of the meter
	 * @param tag the value of a tag that counts alone
	 */
	public double meter(String name, String tag) {
		try (InputStream page = URI.create("http://127.0.0.1:" + this.port + "/actuator/prometheus")
			.toURL()
			.openStream()) {
			return new String(page.readAllBytes(), StandardCharsets.UTF_8).lines()
				.filter((line) -> line.startsWith(name) && line.contains('"' + tag + '"'))
				.mapToDouble((line) -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
				.sum();
		}
		catch (IOException ex) {
			return 0;
		}
	}

	/** Ends it as a power cut would, and waits until it has ended. */
	public void kill() throws IOException {
		this.process.killNow();
		this.process.awaitExit(30, TimeUnit.SECONDS);
		Files.deleteIfExists(this.log);
	}

	/** Lets it stop gracefully. The log of one that has ended by itself is left. */
	@Override
	public void close() throws IOException {
		if (isAlive()) {
			this.process.signal("TERM");
			this.process.awaitExit(30, TimeUnit.SECONDS);
			kill();
		}
	}

	private static Path jar() throws IOException {
		try (DirectoryStream<Path> jars = Files.newDirectoryStream(Path.of("sharding-sharder", "target"),
				"sharding-sharder-*-exec.jar")) {
			for (Path jar : jars) {
				return jar.toAbsolutePath();
			}
		}
		throw new IllegalStateException("The sharder is not built: mvn -pl sharding-sharder -am -DskipTests package");
	}

}
