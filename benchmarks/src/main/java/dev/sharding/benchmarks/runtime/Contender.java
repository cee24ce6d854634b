package dev.sharding.benchmarks.runtime;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A program that keeps, for every Secret of one namespace, a ConfigMap with checksums.
 *
 * @param name for messages; also its namespace
 * @param arguments of the JVM, after the flags
 * @param settings environment variables
 */
record Contender(String name, List<String> arguments, Map<String, String> settings) {

	/**
	 * The whole command, settings included. No flags for the JVM: its defaults serve
	 * both.
	 */
	List<String> command(Path kubeconfig) {
		List<String> command = new ArrayList<>(List.of("/usr/bin/env", "KUBECONFIG=" + kubeconfig));
		this.settings.forEach((key, value) -> command.add(key + "=" + value));
		command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
		command.addAll(this.arguments);
		return command;
	}

}
