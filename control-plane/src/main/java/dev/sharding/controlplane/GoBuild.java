package dev.sharding.controlplane;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Builds the programs from their Go modules. The module files declare the main packages
 * as tools, so that one command builds them all, and pin every dependency.
 */
final class GoBuild implements Source {

	private static final int QUOTED_LINES = 15;

	private static final String DOWNLOADING = "go: downloading ";

	private final Path go;

	private final Toolset toolset;

	GoBuild(Path go, Toolset toolset) {
		this.go = go;
		this.toolset = toolset;
	}

	@Override
	public void fetch(Path folder, Heartbeat heartbeat) throws IOException {
		Path module = Files.createDirectory(folder.resolve("module"));
		copy("go.mod", module);
		copy("go.sum", module);
		heartbeat.begin("building " + this.toolset.describe() + " with " + this.go + "; this takes "
				+ this.toolset.buildTime() + ", once");
		run(module, folder, heartbeat);
		BinaryCache.delete(module);
		if (this.toolset == Toolset.CONTROL_PLANE) {
			Files.move(folder.resolve("server"), Program.ETCD.in(folder));
		}
	}

	private void copy(String name, Path folder) throws IOException {
		try (InputStream resource = GoBuild.class.getResourceAsStream(this.toolset.module() + name)) {
			if (resource == null) {
				throw new IOException("'" + name + "' is not in the jar");
			}
			Files.copy(resource, folder.resolve(name), StandardCopyOption.REPLACE_EXISTING);
		}
	}

	private String linkFlags() {
		String[] version = Pins.KUBERNETES.split("\\.", -1);
		String variable = " -X k8s.io/component-base/version.git";
		// Without these the programs report v0.0.0, and clients and feature gates believe
		// it.
		String flags = "-s -w" + variable + "Version=v" + Pins.KUBERNETES + variable + "Major=" + version[0] + variable
				+ "Minor=" + version[1];
		return (this.toolset == Toolset.CONTROL_PLANE) ? flags : flags + helmFlags(version);
	}

	/** Without these helm would render for a Kubernetes of long ago. */
	private static String helmFlags(String[] kubernetes) {
		String helm = " -X helm.sh/helm/v3/";
		return helm + "internal/version.version=v" + Pins.HELM
				+ Stream.of("pkg/chartutil", "pkg/lint/rules")
					.map((part) -> helm + part + ".k8sVersionMajor=" + kubernetes[0] + helm + part + ".k8sVersionMinor="
							+ kubernetes[1])
					.collect(Collectors.joining());
	}

	private void run(Path module, Path output, Heartbeat heartbeat) throws IOException {
		ProcessBuilder builder = new ProcessBuilder(this.go.toString(), "build", "-trimpath", "-o", output + "/",
				"-ldflags", linkFlags(), "tool")
			.directory(module.toFile())
			.redirectErrorStream(true);
		Map<String, String> environment = builder.environment();
		// The user's own workspace and flags belong to the user's own code.
		environment.put("GOWORK", "off");
		List.of("GOFLAGS", "GOOS", "GOARCH").forEach(environment::remove);
		// Go keeps its caches there, and refuses to work without.
		environment.putIfAbsent("HOME", System.getProperty("user.home"));
		Process process = builder.start();
		process.getOutputStream().close();
		Thread killer = new Thread(process::destroyForcibly, "control-plane-build-killer");
		Runtime.getRuntime().addShutdownHook(killer);
		try {
			Deque<String> lines = follow(process, heartbeat);
			if (process.waitFor() != 0) {
				throw new IOException("'go build' ended with " + process.exitValue() + ": " + String.join("\n", lines));
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IOException("Interrupted while 'go build' ran", ex);
		}
		finally {
			process.destroyForcibly();
			removeShutdownHook(killer);
		}
	}

	private static Deque<String> follow(Process process, Heartbeat heartbeat) throws IOException {
		Deque<String> lines = new ArrayDeque<>();
		int downloads = 0;
		try (BufferedReader reader = process.inputReader()) {
			for (String line = reader.readLine(); line != null; line = reader.readLine()) {
				if (line.startsWith(DOWNLOADING)) {
					heartbeat.change("building, " + ++downloads + " modules downloaded, last "
							+ line.substring(DOWNLOADING.length()));
				}
				else {
					lines.add(line);
				}
				if (lines.size() > QUOTED_LINES) {
					lines.removeFirst();
				}
			}
		}
		return lines;
	}

	private static void removeShutdownHook(Thread hook) {
		try {
			Runtime.getRuntime().removeShutdownHook(hook);
		}
		catch (IllegalStateException ex) {
			// The JVM is on its way out; the hook does its work.
		}
	}

}
