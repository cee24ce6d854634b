package dev.sharding.controlplane;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * One of the programs: its file name, and how to ask it for its version.
 */
enum Program {

	KUBE_APISERVER("kube-apiserver", Pins.KUBERNETES, "--version"),

	ETCD("etcd", Pins.ETCD, "--version"),

	KUBECTL("kubectl", Pins.KUBERNETES, "version --client"),

	HELM("helm", Pins.HELM, "version --short");

	/* A truncated file fails at once; a busy machine may need a while for a good one. */
	private static final Duration TIMEOUT = Duration.ofSeconds(60);

	private final String fileName;

	private final String version;

	private final String arguments;

	Program(String fileName, String version, String arguments) {
		this.fileName = fileName;
		this.version = version;
		this.arguments = arguments;
	}

	String fileName() {
		return this.fileName;
	}

	String version() {
		return this.version;
	}

	Path in(Path folder) {
		return folder.resolve(this.fileName);
	}

	/**
	 * Runs the program and compares the version that it prints with the pin.
	 * @throws IOException if it is absent, does not run, or is of another version
	 */
	void verify(Path folder) throws IOException {
		String answer = ask(folder);
		if (!answer.matches("(?s).*\\bv?" + this.version.replace(".", "\\.") + "(?![0-9.]).*")) {
			throw new IOException(
					"'" + in(folder) + "' is not of version " + this.version + " (says '" + answer.strip() + "')");
		}
	}

	/**
	 * Runs the program.
	 * @return what it says about its version
	 */
	String ask(Path folder) throws IOException {
		Path file = in(folder);
		if (!Files.isExecutable(file)) {
			throw new IOException("'" + file + "' is no executable file");
		}
		List<String> command = new ArrayList<>();
		command.add(file.toString());
		command.addAll(List.of(this.arguments.split(" ", -1)));
		return Command.run(TIMEOUT, command);
	}

}
