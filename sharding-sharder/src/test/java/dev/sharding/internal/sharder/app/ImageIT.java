package dev.sharding.internal.sharder.app;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The Dockerfile, as far as it can be carried out without a container engine.
 */
class ImageIT {

	@Test
	void runsFromTheLayersOfTheJar(@TempDir Path folder) throws IOException, InterruptedException {
		Image image = Image.build(folder);
		List<String> files = image.files();
		assertThat(copied()).containsExactlyInAnyOrderElementsOf(image.extractedLayers());
		assertThat(files).contains("app.jar").anyMatch((file) -> file.startsWith("lib/sharding-core-"));
		assertThat(image.user()).isNotEqualTo("root").doesNotStartWith("0:");

		Path out = folder.resolve("roles.yaml");
		Process roles = image
			.start(out, "roles", Path.of("..", "config", "example", "ring.yaml").toAbsolutePath().toString())
			.start();
		assertThat(roles.waitFor(120, TimeUnit.SECONDS)).isTrue();
		assertThat(Files.readString(out)).isEqualTo(Files.readString(Path.of("..", "config", "example", "roles.yaml")));
		assertThat(roles.exitValue()).isZero();
		// Its file system is read-only but for /tmp.
		assertThat(image.files()).isEqualTo(files);
	}

	@Test
	void runsWithTheSameFlagsWhenTrained() throws IOException {
		assertThat(settings("Dockerfile.trained")).isEqualTo(settings("Dockerfile"));
		String flags = "exec java $JAVA_OPTS -XX:+ExitOnOutOfMemoryError";
		assertThat(Files.readString(Path.of("..", "config", "Dockerfile"))).contains(flags);
		assertThat(Files.readString(Path.of("..", "config", "Dockerfile.trained")))
			.contains(flags.replace("$JAVA_OPTS", "@app.args $JAVA_OPTS"));
	}

	private static String settings(String file) throws IOException {
		String text = Files.readString(Path.of("..", "config", file));
		return text.substring(text.lastIndexOf("\nENV JAVA_OPTS="), text.lastIndexOf("\nENTRYPOINT"));
	}

	private static List<String> copied() throws IOException {
		return Files.readAllLines(Path.of("..", "config", "Dockerfile"))
			.stream()
			.filter((line) -> line.startsWith("COPY --from=layers "))
			.map((line) -> line.replaceFirst(".*/extracted/([^/]+)/.*", "$1"))
			.toList();
	}

}
