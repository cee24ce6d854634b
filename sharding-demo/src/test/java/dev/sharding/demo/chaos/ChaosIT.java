package dev.sharding.demo.chaos;

import java.nio.file.Files;
import java.nio.file.Path;

import dev.sharding.demo.Fault;
import dev.sharding.demo.Launches;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A short run with a fixed seed: a slow reconcile, a leader that is cut off, a shard that
 * is killed and one that is paused for longer than its Lease.
 */
class ChaosIT {

	private static final Extent EXTENT = new Extent(1, 2, 60, 2, 25_000);

	private static final long SEED = 22;

	@Test
	void findsNothingWrongInARunThatProvesSomething() throws Exception {
		Path target = Path.of("target").toAbsolutePath();
		Path folder = Files.createDirectories(target.resolve("proof"));
		Run run = new Run(Launches.programs(target), Fault.NONE, Files.createTempDirectory(folder, "chaos-"),
				System.out);
		Outcome outcome = run.play(Schedule.of(EXTENT, SEED));
		assertThat(outcome.violations()).as(run.repeat()).isEmpty();
		assertThat(outcome.passed()).as("%s, again with %s", outcome.json(), run.repeat()).isTrue();
	}

}
