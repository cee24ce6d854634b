package dev.sharding.benchmarks.rollout;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import dev.sharding.benchmarks.cluster.Launch;
import dev.sharding.benchmarks.cluster.Waiting;
import dev.sharding.test.WatchedProcess;

/** A process of a {@link RolloutShard}. */
final class Replica {

	private static final Duration PATIENCE = Duration.ofMinutes(5);

	private final String pod;

	private final Path log;

	private final Path ready;

	private final WatchedProcess process;

	private Replica(String pod, Path log, Path ready, WatchedProcess process) {
		this.pod = pod;
		this.log = log;
		this.ready = ready;
		this.process = process;
	}

	static Replica start(Naming naming, String pod, String template, Launch launch, Path kubeconfig, Path logs)
			throws IOException {
		Path log = logs.resolve(naming + "-" + pod + ".log");
		Path ready = logs.resolve(pod + "-" + UUID.randomUUID());
		List<String> command = new ArrayList<>(List.of("/usr/bin/env", "KUBECONFIG=" + kubeconfig));
		command.addAll(launch.command(List.of("-cp", classPath(), RolloutShard.class.getName(), naming.name(), pod,
				template, ready.toString())));
		return new Replica(pod, log, ready, WatchedProcess.start(command, log));
	}

	/** A cache of classes wants jars. */
	private static String classPath() throws IOException {
		try (DirectoryStream<Path> jars = Files.newDirectoryStream(Path.of("benchmarks", "target"),
				"sharding-benchmarks-*.jar")) {
			for (Path jar : jars) {
				return jar + ":benchmarks/target/lib/*";
			}
		}
		throw new IllegalStateException("There is no jar of the program in benchmarks/target");
	}

	String pod() {
		return this.pod;
	}

	/** As its readiness probe would find out. */
	void awaitReady() {
		Waiting.until(this.pod + " to be ready, see " + this.log, PATIENCE, () -> {
			if (!this.process.isAlive()) {
				throw new IllegalStateException(this.pod + " has ended, see " + this.log);
			}
			return Files.exists(this.ready);
		});
	}

	/** Asks it to stop; does not wait. */
	void stop() {
		this.process.signal("TERM");
	}

	void awaitEnd() {
		if (!this.process.awaitExit(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
			throw new IllegalStateException(this.pod + " does not stop, see " + this.log);
		}
	}

	void kill() {
		this.process.killNow();
	}

}
