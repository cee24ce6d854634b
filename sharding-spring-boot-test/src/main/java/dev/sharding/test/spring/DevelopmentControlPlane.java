package dev.sharding.test.spring;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import dev.sharding.controlplane.ControlPlaneBinaries;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.SpringApplication;

import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneDiedException;
import dev.sharding.test.WatchedProcess;

/**
 * The control plane of this JVM, and the processes of further shards. It outlives the
 * applications that developer tools restart, and ends after the last one.
 */
final class DevelopmentControlPlane {

	private static final Logger logger = LoggerFactory.getLogger(DevelopmentControlPlane.class);

	private static final int STOP_SECONDS = 20;

	private static @Nullable DevelopmentControlPlane current;

	private final Path folder;

	private final ControlPlane controlPlane;

	private final Map<String, WatchedProcess> shards = new TreeMap<>();

	private volatile boolean closing;

	private DevelopmentControlPlane(Path folder) {
		this.folder = folder;
		this.controlPlane = ControlPlane.start();
		this.controlPlane.closedByCaller();
	}

	/** The one that runs, or a new one. */
	static synchronized DevelopmentControlPlane inFolder(Path folder) {
		DevelopmentControlPlane running = current;
		if (running == null || !running.isAlive()) {
			running = new DevelopmentControlPlane(folder);
			current = running;
			// Spring Boot asks after all applications are closed.
			SpringApplication.getShutdownHandlers().add(running::close);
			running.announce();
		}
		return running;
	}

	private synchronized boolean isAlive() {
		try {
			this.controlPlane.checkAlive();
			return true;
		}
		catch (ControlPlaneDiedException ex) {
			logger.warn("The development cluster died, and everything in it is gone", ex);
			this.closing = true;
			// Nobody is left to whom they could give anything back.
			this.shards.values().forEach(WatchedProcess::killNow);
			this.controlPlane.close();
			return false;
		}
	}

	private void announce() {
		Path kubeconfig = kubeconfig();
		try {
			Files.createDirectories(this.folder);
			Files.deleteIfExists(kubeconfig);
			Files.createFile(kubeconfig,
					PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
			Files.writeString(kubeconfig, this.controlPlane.kubeconfig(), StandardOpenOption.WRITE);
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Failed to write " + kubeconfig, ex);
		}
		logger.info(
				"Development cluster is up, as long as this process runs. In another terminal: export KUBECONFIG={}",
				kubeconfig);
		ControlPlaneBinaries.locate()
			.ifPresent((programs) -> logger.info("If you have no kubectl: alias kubectl={}", programs.kubectl()));
	}

	/** The file for people and for further shards. */
	Path kubeconfig() {
		return this.folder.resolve("kubeconfig");
	}

	KubernetesClient client() {
		return this.controlPlane.client();
	}

	Config config() {
		return this.controlPlane.admin().config();
	}

	/**
	 * Starts a further shard as a process, unless it runs.
	 * @param name the name of the shard
	 * @param command the program
	 */
	synchronized void start(String name, List<String> command) {
		WatchedProcess running = this.shards.get(name);
		if (running != null && running.isAlive()) {
			return;
		}
		Path log = this.folder.resolve(name + ".log");
		try {
			Files.deleteIfExists(log);
			WatchedProcess started = WatchedProcess.start(command, log);
			this.shards.put(name, started);
			CompletableFuture<Void> unused = started.onExit().thenAccept((status) -> ended(name, status, log));
			logger.info("Started {} as process {}, its log is {}", name, started.pid(), log);
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Failed to start " + name, ex);
		}
	}

	private void ended(String name, int status, Path log) {
		if (!this.closing) {
			logger.info("{} has ended with status {}, see {}; it is started again with the next restart", name, status,
					log);
		}
	}

	private synchronized void close() {
		this.closing = true;
		this.shards.values().stream().filter(WatchedProcess::isAlive).forEach((shard) -> shard.signal("TERM"));
		this.shards.values().forEach((shard) -> {
			if (!shard.awaitExit(STOP_SECONDS, TimeUnit.SECONDS)) {
				shard.killNow();
			}
		});
		this.controlPlane.close();
	}

}
