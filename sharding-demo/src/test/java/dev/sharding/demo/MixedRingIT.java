package dev.sharding.demo;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

/**
 * Shards on controller-runtime, programs in Go that have nothing of ours, beside two of
 * ours in one ring, while users are at work. Skipped where there is no Go to build them
 * with.
 */
class MixedRingIT {

	private static final int OBJECTS = 60;

	private static final Path BUILD = Path.of("..", "benchmarks", "go-controller", "build");

	private static final Duration ENDED_WITHIN = Duration.ofMinutes(1);

	private static World world;

	private static Path program;

	@BeforeAll
	static void open() throws Exception {
		assumeThat(Arrays.stream(System.getenv("PATH").split(":")).map((folder) -> Path.of(folder, "go")))
			.as("Go on the PATH")
			.anyMatch(Files::isExecutable);
		Process build = new ProcessBuilder(BUILD.toString()).redirectError(ProcessBuilder.Redirect.INHERIT).start();
		program = Path.of(new String(build.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip());
		assertThat(build.waitFor()).isZero();
		world = World.openWithWebhook("mixed-ring", OBJECTS);
	}

	@AfterAll
	static void close() throws Exception {
		if (world != null) {
			world.close();
		}
	}

	@Test
	@DisplayName("A Go shard joins, stops, joins, is killed, and is replaced by another; so is one of ours beside it")
	void goesOnWithWhateverItsShardsAreWrittenIn() throws Exception {
		play("joins", (same) -> join("g1"));
		play("stops", (same) -> {
			join("g1");
			leave("g1");
		});
		play("is-killed", (same) -> {
			join("g1");
			world.cast().dismiss("g1").kill();
		});
		play("is-rolled-out", (same) -> {
			join("g1");
			join("g2");
			leave("g1");
		});
		play("ours-is-rolled-out", (same) -> {
			join("g1");
			world.cast().enterShard(world.shard("s3"));
			world.cast().awaitHeld();
			world.settle();
			leave("s2");
		});
	}

	private static void play(String name, World.Action action) throws Exception {
		world.playWithoutFinding(name, action);
		assertThat(world.exposure().handOvers()).as("hand-overs in " + name).isPositive();
	}

	private static void join(String name) throws IOException {
		world.cast().enterShard(Role.of(name).runningOther(program));
		world.cast().awaitHeld();
		world.settle();
		assertThat(world.board().anyOf(name)).isNotEmpty();
	}

	private static void leave(String name) {
		Actor leaving = world.cast().dismiss(name);
		leaving.terminate();
		world.settle();
		assertThat(leaving.awaitEnd(ENDED_WITHIN)).as(name + " ends").isTrue();
	}

}
