package dev.sharding.image;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/**
 * Runs programs of the machine that makes the image.
 */
final class Commands {

	private Commands() {
	}

	/**
	 * Runs a program to its end.
	 * @return what it printed
	 * @throws IOException if it fails; the message quotes it
	 */
	static String run(Path folder, String... command) throws IOException {
		Process process = new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start();
		String said;
		try (var out = process.getInputStream()) {
			said = new String(out.readAllBytes(), StandardCharsets.UTF_8);
		}
		try {
			if (process.waitFor() != 0) {
				throw new IOException("%s ended with %d: %s".formatted(List.of(command), process.exitValue(), said));
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IOException("Interrupted while " + command[0] + " ran", ex);
		}
		finally {
			process.destroyForcibly();
		}
		return said;
	}

}
