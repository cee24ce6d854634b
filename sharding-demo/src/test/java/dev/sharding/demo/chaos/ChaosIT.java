package dev.sharding.demo.chaos;

import java.nio.file.Files;
import java.nio.file.Path;

import dev.sharding.demo.Fault;
import dev.sharding.demo.Launches;
import dev.sharding.demo.ShardProgram;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A short run with a fixed seed: a shard that is killed, one whose connections are half
 * open for longer than its Lease, a leader that is cut off.
 */
class ChaosIT {

	private static final Extent EXTENT = new Extent(1, 2, 60, 2, 25_000);

	private static final long SEED = 2;

	@Test
	void findsNothingWrongInARunThatProvesSomething() throws Exception {
		Path target = Path.of("target").toAbsolutePath();
		Path folder = Files.createDirectories(target.resolve("proof"));
		Run run = new Run(Launches.programs(target), ShardProgram.EXAMPLE, Fault.NONE,
				Files.createTempDirectory(folder, "chaos-"), System.out);
		Outcome outcome = run.play(Schedule.of(EXTENT, SEED));
		assertThat(outcome.violations()).as(run.repeat()).isEmpty();
		assertThat(outcome.passed()).as("%s, again with %s", outcome.json(), run.repeat()).isTrue();
	}

}
