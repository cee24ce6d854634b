package dev.sharding.internal.sharder.app;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class RolesCommandTests {

	private final ByteArrayOutputStream out = new ByteArrayOutputStream();

	private final ByteArrayOutputStream err = new ByteArrayOutputStream();

	@TempDir
	private Path folder;

	@Test
	void printsTheRolesOfARing() throws IOException {
		Path example = Path.of("..", "config", "example");
		assertThat(run("roles", example.resolve("ring.yaml").toString())).isZero();
		assertThat(this.out.toString(StandardCharsets.UTF_8))
			.isEqualTo(Files.readString(example.resolve("roles.yaml")));
		assertThat(this.err.size()).isZero();
	}

	/* A shard may watch some namespaces only, and its Lease is in another one. */
	@Test
	void letsAShardTellOfItsLease() {
		run("roles", Path.of("..", "config", "example", "ring.yaml").toString());
		String printed = this.out.toString(StandardCharsets.UTF_8);
		assertThat(printed.substring(printed.indexOf("\"sharding:shard-lease:checksums\"")))
			.contains("\"events.k8s.io\"");
	}

	@Test
	void saysHowItIsUsed() {
		assertThat(run("roles")).isEqualTo(2);
		assertThat(this.err.toString(StandardCharsets.UTF_8)).startsWith("Usage: roles FILE");
		assertThat(this.out.size()).isZero();
	}

	@Test
	void refusesAFileThatIsNotThere() {
		assertThat(run("roles", this.folder.resolve("missing.yaml").toString())).isEqualTo(1);
		assertThat(this.err.toString(StandardCharsets.UTF_8)).contains("missing.yaml").doesNotContain("\tat ");
		assertThat(this.out.size()).isZero();
	}

	@Test
	void refusesWhatIsNoRing() throws IOException {
		Path pod = Files.writeString(this.folder.resolve("pod.yaml"), "kind: Pod\nmetadata:\n  name: web\n");
		assertThat(run("roles", pod.toString())).isEqualTo(1);
		assertThat(this.err.toString(StandardCharsets.UTF_8)).contains("pod.yaml", "its kind is Pod");
		Path nameless = Files.writeString(this.folder.resolve("nameless.yaml"), """
				apiVersion: sharding.timebertt.dev/v1alpha1
				kind: ControllerRing
				spec:
				  resources: []
				""");
		assertThat(run("roles", nameless.toString())).isEqualTo(1);
		assertThat(this.err.toString(StandardCharsets.UTF_8)).contains("nameless.yaml", "it has no name");
		assertThat(this.out.size()).isZero();
	}

	private int run(String... args) {
		return RolesCommand.run(args, new PrintStream(this.out, true, StandardCharsets.UTF_8),
				new PrintStream(this.err, true, StandardCharsets.UTF_8));
	}

}
