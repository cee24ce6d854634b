package dev.sharding.internal.sharder.app;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

import static org.assertj.core.api.Assumptions.assumeThat;

/**
 * The {@code go} on the PATH, in a folder of {@code src/test/go}: programs whose packages
 * are there in Go alone.
 */
public final class GoProgram {

	private GoProgram() {
	}

	/**
	 * Builds a program. Where there is no Go, the test is skipped.
	 * @param name its folder
	 * @param into where to
	 * @return the program
	 */
	public static Path build(String name, Path into) throws IOException, InterruptedException {
		assumeThat(Arrays.stream(System.getenv("PATH").split(":")).map((folder) -> Path.of(folder, "go")))
			.as("Go on the PATH")
			.anyMatch(Files::isExecutable);
		Path program = into.resolve(name).toAbsolutePath();
		go(name, "build", "-trimpath", "-buildvcs=false", "-o", program.toString(), ".");
		return program;
	}

	static String go(String name, String... arguments) throws IOException, InterruptedException {
		Path folder = Path.of("src", "test", "go", name);
		ProcessBuilder builder = new ProcessBuilder("go").directory(folder.toFile())
			.redirectError(ProcessBuilder.Redirect.INHERIT);
		builder.command().addAll(List.of(arguments));
		builder.environment().put("GOWORK", "off");
		Process process = builder.start();
		String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
		if (process.waitFor() != 0) {
			throw new IllegalStateException("go " + String.join(" ", arguments) + " failed in " + folder);
		}
		return out;
	}

}
