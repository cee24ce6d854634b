package dev.sharding.internal.sharder.app;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.fabric8.kubernetes.client.utils.KubernetesSerialization;

/**
 * What {@code config/Dockerfile} makes, without a container engine: its instructions are
 * carried out in a folder for each stage, with the JVM of the test in place of that of
 * the image. An instruction that is not known here is an error, so that nothing of the
 * file goes untested.
 */
final class Image {

	private static final Path CONTEXT = Path.of("..");

	private final Path folder;

	private final Map<String, Path> stages = new HashMap<>();

	private final Map<String, String> arguments = new HashMap<>();

	private final Map<String, String> environment = new HashMap<>();

	private Path root = Path.of("none");

	private Path workdir = Path.of("none");

	private String user = "root";

	private List<String> entryPoint = List.of();

	private Image(Path folder) {
		this.folder = folder;
	}

	/** Carries out the file; its stages become folders in the given one. */
	static Image build(Path folder) throws IOException, InterruptedException {
		Image image = new Image(folder.toAbsolutePath());
		for (String line : Files.readAllLines(CONTEXT.resolve("config").resolve("Dockerfile"))) {
			if (!line.isBlank() && !line.startsWith("#")) {
				String[] parts = line.split(" ", 2);
				image.carryOut(parts[0], parts[1]);
			}
		}
		return image;
	}

	private void carryOut(String instruction, String rest) throws IOException, InterruptedException {
		switch (instruction) {
			case "FROM" -> from(rest.split(" "));
			case "ARG" ->
				this.arguments.put(rest.substring(0, rest.indexOf('=')), rest.substring(rest.indexOf('=') + 1));
			case "ENV" -> this.environment.put(rest.substring(0, rest.indexOf('=')),
					rest.substring(rest.indexOf('=') + 1).replaceAll("^\"|\"$", ""));
			case "WORKDIR" -> this.workdir = Files.createDirectories(inStage(this.root, rest));
			case "COPY" -> copy(rest.split(" "));
			case "RUN" -> run(rest);
			case "USER" -> this.user = rest;
			case "ENTRYPOINT" -> this.entryPoint = new KubernetesSerialization().unmarshal(rest, List.class);
			default -> throw new IllegalStateException("Dockerfile has an unknown instruction: " + instruction);
		}
	}

	private void from(String[] words) throws IOException {
		String name = (words.length == 3) ? words[2] : "image";
		this.root = Files.createDirectories(this.folder.resolve(name));
		this.stages.put(name, this.root);
		this.environment.clear();
	}

	private static Path inStage(Path root, String path) {
		return root.resolve(path.replaceFirst("^/", ""));
	}

	private void copy(String[] words) throws IOException {
		if (words.length == 2) {
			Path from = CONTEXT.resolve(this.arguments.getOrDefault(words[0].replaceAll("[${}]", ""), words[0]));
			Files.copy(from, this.workdir.resolve(words[1]));
			return;
		}
		Path from = inStage(this.stages.get(words[0].replace("--from=", "")), words[1]);
		Path to = this.workdir.resolve(words[2]).normalize();
		try (Stream<Path> files = Files.walk(from)) {
			for (Path file : files.filter(Files::isRegularFile).toList()) {
				Path target = to.resolve(from.relativize(file));
				Files.createDirectories(target.getParent());
				Files.copy(file, target);
			}
		}
	}

	private void run(String command) throws IOException, InterruptedException {
		Path log = this.folder.resolve("run.log");
		Process process = prepare(List.of("sh", "-c", command), log).start();
		if (!process.waitFor(120, TimeUnit.SECONDS) || process.exitValue() != 0) {
			process.destroyForcibly();
			throw new IllegalStateException("Failed to run %s: %s".formatted(command, Files.readString(log)));
		}
	}

	/**
	 * The program with arguments, as a container of the image runs it with the limit in
	 * config/.
	 */
	ProcessBuilder start(Path log, String... parameters) {
		List<String> command = new ArrayList<>(this.entryPoint);
		command.addAll(List.of(parameters));
		ProcessBuilder program = prepare(command, log);
		program.environment().merge("JAVA_OPTS", "-XX:MaxRAM=512m", (flags, limit) -> flags + " " + limit);
		return program;
	}

	private ProcessBuilder prepare(List<String> command, Path log) {
		ProcessBuilder builder = new ProcessBuilder(command).directory(this.workdir.toFile())
			.redirectErrorStream(true)
			.redirectOutput(log.toFile());
		// How tests encrypt is nothing that the image knows.
		builder.environment().remove("JAVA_TOOL_OPTIONS");
		builder.environment().putAll(this.environment);
		builder.environment()
			.merge("PATH", Path.of(System.getProperty("java.home"), "bin").toString(),
					(path, ours) -> ours + File.pathSeparator + path);
		return builder;
	}

	/** The layers that the first stage takes out of the jar. */
	List<String> extractedLayers() throws IOException {
		return names(inStage(this.stages.get("layers"), "layers/extracted"));
	}

	/** All files that the image adds. */
	List<String> files() throws IOException {
		try (Stream<Path> files = Files.walk(this.workdir)) {
			return files.map((file) -> this.workdir.relativize(file).toString()).sorted().toList();
		}
	}

	String user() {
		return this.user;
	}

	private static List<String> names(Path folder) throws IOException {
		try (Stream<Path> files = Files.list(folder)) {
			return files.map((file) -> file.getFileName().toString()).sorted().toList();
		}
	}

}
