package dev.sharding.test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Trains the launch of a program, for {@code config/train}: runs it for a while against a
 * control plane of its own, as what makes the start of a controller slow (TLS, JSON,
 * watches, Leases) has to run to get into the cache of the JVM. Then stops it by
 * {@code SIGTERM}, upon which the JVM writes its cache.
 *
 * <p>
 * Arguments: {@code [--apply FILE]... [--seconds N] FOLDER [ARGUMENT]...}. The folder has
 * the program as {@code app.jar}, with its libraries as jars. What the files describe is
 * applied first; then for N seconds what has a {@code generateName} is created again and
 * again, and Leases that have a holder are renewed. The program gets the flags of the
 * environment variable {@code JAVA_OPTS}, {@code KUBECONFIG}, and the arguments. In the
 * folder it leaves the cache, and {@code app.args}, which has the flags that use it.
 */
final class LaunchTraining {

	private static final Duration START_TIMEOUT = Duration.ofMinutes(4);

	/** A busy machine takes a minute to write 100 MiB of code. */
	private static final Duration STOP_TIMEOUT = Duration.ofMinutes(10);

	/*
	 * A heap that is a part of what the machine has may be so large here that its
	 * references are kept otherwise than in a pod, where the cache would not fit then.
	 */
	private static final String MACHINE = "-XX:MaxRAM=1g";

	private static final int AOT_CACHES_SINCE = 25;

	private LaunchTraining() {
	}

	public static void main(String... args) throws IOException, InterruptedException {
		List<Path> files = new ArrayList<>();
		long seconds = 20;
		int next = 0;
		while (next < args.length && args[next].startsWith("--")) {
			if (args[next].equals("--apply")) {
				files.add(Path.of(args[next + 1]));
			}
			else if (args[next].equals("--seconds")) {
				seconds = Long.parseLong(args[next + 1]);
			}
			else {
				throw new IllegalArgumentException("Unknown option: " + args[next]);
			}
			next += 2;
		}
		Path folder = Path.of(args[next]).toAbsolutePath();
		train(files, Duration.ofSeconds(seconds), folder, Arrays.asList(args).subList(next + 1, args.length));
	}

	private static void train(List<Path> files, Duration time, Path folder, List<String> arguments)
			throws IOException, InterruptedException {
		Cache cache = Cache.of(Runtime.version().feature());
		for (String leftOver : List.of(cache.file(), Cache.FLAGS)) {
			Files.deleteIfExists(folder.resolve(leftOver));
		}
		Path log = folder.resolve("training.log");
		Files.deleteIfExists(log);
		try (ControlPlane controlPlane = ControlPlane.start()) {
			TrainingObjects objects = TrainingObjects.apply(controlPlane.client(), files);
			WatchedProcess program = WatchedProcess
				.start(command(cache, folder, controlPlane.admin().kubeconfigFile(), arguments), log);
			try {
				await(program, START_TIMEOUT, objects::isLeaseTaken);
				long end = System.nanoTime() + time.toNanos();
				await(program, time.plus(START_TIMEOUT), () -> {
					objects.next();
					return System.nanoTime() - end > 0;
				});
				program.signal("TERM");
				if (!program.awaitExit(STOP_TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
					throw new IllegalStateException("The program does not stop");
				}
			}
			finally {
				program.killNow();
			}
		}
		catch (IllegalStateException ex) {
			throw new IllegalStateException(ex.getMessage() + ", see " + log, ex);
		}
		if (!Files.exists(folder.resolve(cache.file()))) {
			throw new IllegalStateException("The JVM has written no " + cache.file() + ", see " + log);
		}
		Files.writeString(folder.resolve(Cache.FLAGS), String.join("\n", cache.use()) + "\n");
		Files.delete(log);
	}

	private static List<String> command(Cache cache, Path folder, Path kubeconfig, List<String> arguments) {
		String flags = System.getenv().getOrDefault("JAVA_OPTS", "");
		List<String> command = new ArrayList<>(List.of("/usr/bin/env", "--chdir=" + folder, "KUBECONFIG=" + kubeconfig,
				Path.of(System.getProperty("java.home"), "bin", "java").toString(), MACHINE));
		command.addAll(Arrays.stream(flags.split(" ", -1)).filter((flag) -> !flag.isBlank()).toList());
		command.addAll(List.of(cache.train(), "-jar", "app.jar"));
		command.addAll(arguments);
		return command;
	}

	private static void await(WatchedProcess program, Duration timeout, Step step) throws InterruptedException {
		long end = System.nanoTime() + timeout.toNanos();
		while (!step.isLast()) {
			if (!program.isAlive()) {
				throw new IllegalStateException("The program has ended");
			}
			if (System.nanoTime() - end > 0) {
				throw new IllegalStateException("The program has taken no Lease in " + timeout);
			}
			TimeUnit.MILLISECONDS.sleep(100);
		}
	}

	/** Something that is done until it is done. */
	private interface Step {

		boolean isLast();

	}

	/**
	 * The cache of a JVM.
	 *
	 * @param file its name
	 * @param train the flag that writes it
	 * @param use the flags that use it; where it does not fit, the JVM starts without
	 */
	private record Cache(String file, String train, List<String> use) {

		/** The name of the file with the flags. */
		static final String FLAGS = "app.args";

		static Cache of(int java) {
			return (java < AOT_CACHES_SINCE)
					? new Cache("app.jsa", "-XX:ArchiveClassesAtExit=app.jsa",
							List.of("-Xshare:auto", "-XX:SharedArchiveFile=app.jsa"))
					: new Cache("app.aot", "-XX:AOTCacheOutput=app.aot",
							List.of("-XX:+IgnoreUnrecognizedVMOptions", "-XX:AOTMode=auto", "-XX:AOTCache=app.aot"));
		}

	}

}
