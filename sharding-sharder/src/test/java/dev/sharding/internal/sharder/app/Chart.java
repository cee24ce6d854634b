package dev.sharding.internal.sharder.app;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

import io.fabric8.kubernetes.client.utils.KubernetesSerialization;

/**
 * The chart in {@code config/}, by the commands of helm and kubectl.
 */
final class Chart {

	static final Path CONFIG = Path.of("..", "config");

	static final Path FOLDER = CONFIG.resolve("chart").resolve("sharder");

	private final Path helm;

	private final Path kubectl;

	private final Path kubeconfig;

	private final Path folder;

	Chart(Path helm, Path kubectl, Path kubeconfig, Path folder) {
		this.helm = helm;
		this.kubectl = kubectl;
		this.kubeconfig = kubeconfig;
		this.folder = folder;
	}

	/** What a program printed. */
	record Answer(int status, String out, String err) {

		String succeeded() {
			if (this.status != 0) {
				throw new IllegalStateException("Ended with %d: %s%s".formatted(this.status, this.out, this.err));
			}
			return this.out;
		}

	}

	/** Runs helm, in the namespace of the sharder if no other is named. */
	Answer helm(String... arguments) throws IOException, InterruptedException {
		List<String> command = new ArrayList<>(List.of(this.helm.toString()));
		command.addAll(List.of(arguments));
		if (!command.contains("--namespace")) {
			command.addAll(List.of("--namespace", "sharding-system"));
		}
		return run(command);
	}

	Answer kubectl(String... arguments) throws IOException, InterruptedException {
		List<String> command = new ArrayList<>(List.of(this.kubectl.toString()));
		command.addAll(List.of(arguments));
		return run(command);
	}

	/** The chart as it is published: a file that holds what the links name. */
	Path archive() throws IOException, InterruptedException {
		String said = helm("package", FOLDER.toString(), "--destination", this.folder.toString()).succeeded();
		return Path.of(said.substring(said.lastIndexOf(": ") + 2).strip());
	}

	private Answer run(List<String> command) throws IOException, InterruptedException {
		Path out = Files.createTempFile(this.folder, "out", ".log");
		Path err = Files.createTempFile(this.folder, "err", ".log");
		ProcessBuilder builder = new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
		builder.environment().put("KUBECONFIG", this.kubeconfig.toString());
		// The user's own settings and plugins stay out of it.
		for (String kind : List.of("CACHE", "CONFIG", "DATA")) {
			builder.environment().put("HELM_" + kind + "_HOME", this.folder.resolve(kind).toString());
		}
		Process process = builder.start();
		if (!process.waitFor(180, TimeUnit.SECONDS)) {
			process.destroyForcibly();
			throw new IllegalStateException("Did not end: " + String.join(" ", command));
		}
		return new Answer(process.exitValue(), Files.readString(out), Files.readString(err));
	}

	/** Manifests by kind, namespace and name. */
	@SuppressWarnings("unchecked")
	static Map<String, Map<String, Object>> objects(String manifests) {
		KubernetesSerialization serialization = new KubernetesSerialization();
		Map<String, Map<String, Object>> objects = new TreeMap<>();
		for (String document : manifests.split("(?m)^---.*$", -1)) {
			if (document.lines().allMatch((line) -> line.isBlank() || line.startsWith("#"))) {
				continue;
			}
			Map<String, Object> object = serialization.unmarshal(document, Map.class);
			Map<String, Object> metadata = (Map<String, Object>) object.get("metadata");
			String name = object.get("kind") + " " + metadata.getOrDefault("namespace", "") + "/"
					+ metadata.get("name");
			if (objects.put(name, object) != null) {
				throw new IllegalStateException("Twice: " + name);
			}
		}
		return objects;
	}

}
