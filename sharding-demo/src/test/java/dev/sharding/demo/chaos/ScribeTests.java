package dev.sharding.demo.chaos;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class ScribeTests {

	private static final Planned FAULT = new Planned(1, 2150, null, 2150, Kind.KILL_SHARD, 0, 17, 4650);

	@TempDir
	private Path directory;

	@Test
	void takesAFaultThatDoesNotComeToItsEndForAViolation() throws IOException {
		Scribe scribe = scribe();
		scribe.watch(FAULT, () -> {
			throw new IllegalStateException("Waited for a-3 to start for 300 s, in vain");
		});
		assertThat(scribe.troubles()).singleElement()
			.hasToString("process: kill-shard owner of secret-17 did not come to its end: "
					+ "java.lang.IllegalStateException: Waited for a-3 to start for 300 s, in vain");
		assertThat(scribe.left()).isZero();
		assertThat(scribe.played()).isEmpty();
		assertThat(resolution()).contains("\"leftOut\":\"\"", "Waited for a-3");
	}

	@Test
	void leavesOutAFaultThatFindsNobody() throws IOException {
		Scribe scribe = scribe();
		scribe.watch(FAULT, () -> scribe.left(FAULT, "nobody has that role"));
		assertThat(scribe.troubles()).isEmpty();
		assertThat(scribe.left()).isEqualTo(1);
		assertThat(resolution()).contains("\"leftOut\":\"nobody has that role\"", "\"failed\":\"\"");
	}

	private Scribe scribe() {
		return new Scribe(new PrintStream(new ByteArrayOutputStream()), file());
	}

	private String resolution() throws IOException {
		return Files.readString(file());
	}

	private Path file() {
		return this.directory.resolve("resolution.jsonl");
	}

}
