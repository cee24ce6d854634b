package dev.sharding.controlplane;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Runs a short program and returns what it printed.
 */
final class Command {

	private Command() {
	}

	/**
	 * Runs a program to its end.
	 * @param timeout how long it may take; it is killed after that
	 * @param command program and arguments
	 * @return standard output and error together
	 * @throws IOException if it cannot be started, fails, or takes too long
	 */
	static String run(Duration timeout, List<String> command) throws IOException {
		Path output = Files.createTempFile("sharding-command", ".log");
		try {
			Process process = new ProcessBuilder(command).redirectErrorStream(true)
				.redirectOutput(output.toFile())
				.start();
			boolean ended = waitFor(process, timeout);
			String text = Files.readString(output, StandardCharsets.UTF_8);
			if (!ended) {
				throw new IOException(command.get(0) + " did not end within " + timeout.toSeconds() + " s");
			}
			if (process.exitValue() != 0) {
				throw new IOException(command.get(0) + " ended with " + process.exitValue() + ": " + text.strip());
			}
			return text;
		}
		finally {
			Files.deleteIfExists(output);
		}
	}

	private static boolean waitFor(Process process, Duration timeout) throws IOException {
		try {
			return process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IOException("Interrupted", ex);
		}
		finally {
			process.destroyForcibly();
		}
	}

}
