package dev.sharding.benchmarks.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How a JVM is started.
 *
 * @param settings environment variables
 * @param flags of the JVM
 */
public record Launch(Map<String, String> settings, List<String> flags) {

	/** What {@code java} does by itself. */
	public static final Launch PLAIN = new Launch(Map.of(), List.of());

	private static final Path DOCKERFILE = Path.of("config", "Dockerfile");

	private static final Path DEPLOYMENT = Path.of("config", "sharder", "deployment.yaml");

	private static final Pattern LIMIT = Pattern.compile("limits:\\s+memory: (\\d+)Mi");

	private static final Pattern ENV = Pattern.compile("(?m)^ENV ([A-Z_]+)=\"?([^\"\n]+)\"?$");

	private static final String FLAGS = "JAVA_OPTS";

	private static final boolean HAS_AOT_CACHE = Runtime.version().feature() >= 25;

	private static final Pattern HEAP = Pattern.compile("-Xm[sx]|-XX:(Initial|Min|Max)RAM|-XX:(Initial|Max)HeapSize");

	public Launch {
		settings = Map.copyOf(settings);
		flags = List.copyOf(flags);
	}

	/**
	 * The launch that we ship and document: that of the image, in
	 * {@code config/Dockerfile}, with as much memory as its pod may have.
	 * @throws IOException if that cannot be read from the folder of the project
	 */
	public static Launch shipped() throws IOException {
		Map<String, String> settings = new LinkedHashMap<>();
		Matcher lines = ENV.matcher(Files.readString(DOCKERFILE));
		while (lines.find()) {
			settings.put(lines.group(1), lines.group(2));
		}
		String flags = settings.remove(FLAGS);
		if (flags == null) {
			throw new IllegalStateException("There is no " + FLAGS + " in " + DOCKERFILE);
		}
		Matcher limit = LIMIT.matcher(Files.readString(DEPLOYMENT));
		if (!limit.find()) {
			throw new IllegalStateException("There is no limit of memory in " + DEPLOYMENT);
		}
		return new Launch(settings, List.of(flags.split(" ", -1))).withFlags("-XX:MaxRAM=" + limit.group(1) + "m");
	}

	/**
	 * This launch with another bound of the heap, whatever bounded it before.
	 * @param mebibytes what the heap may grow to
	 */
	public Launch withHeap(long mebibytes) {
		List<String> others = this.flags.stream().filter((flag) -> !HEAP.matcher(flag).lookingAt()).toList();
		return new Launch(this.settings, others).withFlags("-Xms" + Math.min(24, mebibytes) + "m",
				"-Xmx" + mebibytes + "m");
	}

	/** This launch with more flags of the JVM. */
	public Launch withFlags(String... more) {
		List<String> all = new ArrayList<>(this.flags);
		all.addAll(List.of(more));
		return new Launch(this.settings, all);
	}

	/**
	 * This launch, which writes a cache of classes, and on Java 25 of profiles, when the
	 * program ends in order.
	 * @param cache where to; the class path must be of jars alone
	 */
	public Launch training(Path cache) {
		return withFlags((HAS_AOT_CACHE ? "-XX:AOTCacheOutput=" : "-XX:ArchiveClassesAtExit=") + cache);
	}

	/** This launch with what {@link #training} has written by the same class path. */
	public Launch trained(Path cache) {
		return HAS_AOT_CACHE ? withFlags("-XX:AOTMode=auto", "-XX:AOTCache=" + cache)
				: withFlags("-Xshare:auto", "-XX:SharedArchiveFile=" + cache);
	}

	/**
	 * The command that starts a program so, with the Java of this process.
	 * @param arguments what comes after the flags: class path, main class, arguments
	 */
	public List<String> command(List<String> arguments) {
		List<String> command = new ArrayList<>(List.of("/usr/bin/env"));
		this.settings.forEach((name, value) -> command.add(name + "=" + value));
		command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
		command.addAll(this.flags);
		command.addAll(arguments);
		return command;
	}

}
