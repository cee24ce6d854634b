package dev.sharding.image;

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
 * What {@code config/Dockerfile} says: a first stage that takes a jar apart, and an image
 * that holds the parts. An instruction of another kind is an error, so that nothing of
 * the file is left out silently.
 *
 * @param base the base of the image
 * @param jar the jar to take apart, seen from the context
 * @param extraction the command of the first stage, run beside {@code app.jar}
 * @param workdir the folder of the program in the image
 * @param layers the folders that the first stage leaves and the image holds, in order
 * @param user the user and group, as numbers
 * @param environment the environment variables
 * @param entryPoint the command
 */
record Dockerfile(String base, String jar, String extraction, String workdir, List<String> layers, String user,
		Map<String, String> environment, List<String> entryPoint) {

	private static final Pattern LAYER = Pattern.compile("--from=layers /layers/extracted/([^/]+)/ \\./");

	private static final Pattern STRING = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"");

	Dockerfile {
		layers = List.copyOf(layers);
		environment = Map.copyOf(environment);
		entryPoint = List.copyOf(entryPoint);
	}

	/** Reads the file in {@code config/} of a checkout. */
	static Dockerfile of(Path context) throws IOException {
		Reader reader = new Reader();
		for (String line : Files.readAllLines(context.resolve("config").resolve("Dockerfile"))) {
			if (!line.isBlank() && !line.startsWith("#")) {
				String[] parts = line.split(" ", 2);
				reader.read(parts[0], parts[1]);
			}
		}
		return reader.end();
	}

	private static final class Reader {

		private final List<String> layers = new ArrayList<>();

		private final Map<String, String> environment = new LinkedHashMap<>();

		private final Map<String, String> single = new LinkedHashMap<>();

		void read(String instruction, String rest) {
			switch (instruction) {
				case "FROM", "WORKDIR", "USER", "ENTRYPOINT" -> this.single.put(instruction, rest);
				case "RUN", "ARG" -> {
					if (this.single.put(instruction, rest) != null) {
						throw new IllegalStateException("The Dockerfile has more than one " + instruction);
					}
				}
				case "ENV" -> this.environment.put(rest.substring(0, rest.indexOf('=')),
						rest.substring(rest.indexOf('=') + 1).replaceAll("^\"|\"$", ""));
				case "COPY" -> copy(rest);
				default -> throw new IllegalStateException("The Dockerfile has an unknown instruction: " + instruction);
			}
		}

		private void copy(String rest) {
			Matcher layer = LAYER.matcher(rest);
			if (layer.matches()) {
				this.layers.add(layer.group(1));
			}
			else if (!rest.equals("${JAR} app.jar")) {
				throw new IllegalStateException("The Dockerfile copies in an unknown way: " + rest);
			}
		}

		Dockerfile end() {
			return new Dockerfile(get("FROM"), get("ARG").replaceFirst("^JAR=", ""), get("RUN"), get("WORKDIR"),
					this.layers, get("USER"), this.environment, strings(get("ENTRYPOINT")));
		}

		/* The last one counts. */
		private String get(String instruction) {
			String rest = this.single.get(instruction);
			if (rest == null) {
				throw new IllegalStateException("The Dockerfile has no " + instruction);
			}
			return rest;
		}

		private static List<String> strings(String array) {
			return STRING.matcher(array).results().map((found) -> found.group(1).replaceAll("\\\\(.)", "$1")).toList();
		}

	}

}
