package dev.sharding.benchmarks.scale;

import java.time.Duration;

import dev.sharding.benchmarks.cluster.Figures;
import dev.sharding.benchmarks.cluster.Pause;

/**
 * {@code adoptHeapMiB}, {@code adoptRateShare}, {@code adoptCpuMicros}: Secrets without a
 * shard when their ring comes. The sharder runs already, so that its start is not
 * measured.
 */
final class Adopt implements Part {

	@Override
	public void run(Stage stage, Figures figures) throws Exception {
		stage.holdShards();
		try (Tally secrets = stage.tally(Population.SECRETS)) {
			create(stage, secrets, 0, Options.FEW);
			long few = peak(stage, secrets);
			stage.bareClient().takeOff(secrets);
			create(stage, secrets, Options.FEW, stage.objects());
			long many = peak(stage, secrets);
			figures.put("adoptHeapMiB", many - few);
			figures.put("adoptFewHeapMiB", few);
			double bare = stage.bareClient().takeOff(secrets);
			double rate = adopt(stage, secrets, figures);
			figures.put("adoptRateShare", rate / bare);
			figures.put("adoptedPerSecond", rate);
			figures.put("bareUnlabelledPerSecond", bare);
		}
	}

	static void create(Stage stage, Tally secrets, int from, int to) throws InterruptedException {
		stage.population().createSecrets(Population.SECRETS, from, to, (name) -> "");
		secrets.awaitObjects(to);
	}

	/** What an adoption needs at most, in mebibytes; leaves no ring behind. */
	static long peak(Stage stage, Tally secrets) throws Exception {
		secrets.expect(Population.ownersOf(Stage.SHARDS));
		long peak;
		try (MeasuredSharder sharder = stage.sharder(true)) {
			sharder.awaitTerm();
			stage.createRing();
			secrets.await(sharder.process());
			peak = sharder.peak();
		}
		stage.forgetRing();
		return peak;
	}

	private static double adopt(Stage stage, Tally secrets, Figures figures) throws Exception {
		secrets.expect(Population.ownersOf(Stage.SHARDS));
		try (MeasuredSharder sharder = stage.sharder(false)) {
			sharder.awaitTerm();
			Pause.of(Duration.ofSeconds(5));
			Requests requests = stage.requests();
			double before = sharder.cpuMicros();
			long begin = System.nanoTime();
			stage.createRing();
			long end = secrets.await(sharder.process());
			figures.put("adoptCpuMicros", (sharder.cpuMicros() - before) / stage.objects());
			figures.put("adoptLists", requests.lists());
			figures.put("adoptPages", requests.pages());
			return stage.objects() * 1e9 / (end - begin);
		}
	}

}
