package dev.sharding.image;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class DockerfileTests {

	private static final Path CONTEXT = Path.of("..");

	@TempDir
	private Path folder;

	@Test
	void readsAllOfTheDockerfile() throws IOException {
		String text = Files.readString(CONTEXT.resolve("config").resolve("Dockerfile"));
		Dockerfile dockerfile = Dockerfile.of(CONTEXT);
		assertThat(text).contains("\nFROM " + dockerfile.base() + "\n", "ARG JAR=" + dockerfile.jar() + "\n",
				"\nRUN " + dockerfile.extraction() + "\n", "\nUSER " + dockerfile.user() + "\n",
				"\nENV JAVA_OPTS=\"" + dockerfile.environment().get("JAVA_OPTS") + "\"\n",
				"\nENV MALLOC_ARENA_MAX=" + dockerfile.environment().get("MALLOC_ARENA_MAX") + "\n");
		assertThat(dockerfile.environment()).hasSize(2);
		assertThat(dockerfile.workdir()).isEqualTo("/app");
		assertThat(dockerfile.layers()).containsExactly("dependencies", "spring-boot-loader", "snapshot-dependencies",
				"application");
		assertThat(dockerfile.entryPoint()).containsExactly("sh", "-c",
				"exec java $JAVA_OPTS -XX:+ExitOnOutOfMemoryError -jar app.jar \"$@\"", "--");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			HEALTHCHECK NONE                | unknown instruction: HEALTHCHECK
			COPY config /config             | copies in an unknown way: config /config
			RUN rm -rf /app                 | more than one RUN
			""")
	void leavesNothingOutSilently(String line, String message) throws IOException {
		Path file = Files.createDirectories(this.folder.resolve("config")).resolve("Dockerfile");
		Files.writeString(file, Files.readString(CONTEXT.resolve("config").resolve("Dockerfile")) + "\n" + line + "\n");
		assertThatIllegalStateException().isThrownBy(() -> Dockerfile.of(this.folder)).withMessageContaining(message);
	}

}
