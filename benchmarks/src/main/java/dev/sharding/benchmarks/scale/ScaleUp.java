package dev.sharding.benchmarks.scale;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

import dev.sharding.benchmarks.cluster.Figures;
import dev.sharding.benchmarks.cluster.Pause;

/**
 * {@code scaleUpHeapMiB}, {@code scaleUpRateShare}, {@code scaleUpCpuMicros}: a fourth
 * shard joins three that have as many Secrets as ConfigMaps of theirs. The bare client
 * moves the same pairs back, by the same four patches for each.
 */
final class ScaleUp implements Part {

	/* It is measured how fast objects move, not how long others are waited for. */
	private static final String AT_ONCE = "--sharding.sharder.settle=0s";

	private static final String FOURTH = "shard-3";

	private static final Function<String, String> OF_THREE = Population.ownersOf(Stage.SHARDS);

	private static final Function<String, String> OF_FOUR = ofFour();

	private static Function<String, String> ofFour() {
		List<String> four = new ArrayList<>(Stage.SHARDS);
		four.add(FOURTH);
		return Population.ownersOf(four);
	}

	@Override
	public void run(Stage stage, Figures figures) throws Exception {
		stage.holdShards();
		stage.createRing();
		try (Tally secrets = stage.tally(Population.SECRETS); Tally configMaps = stage.tally(Population.CONFIG_MAPS)) {
			create(stage, secrets, configMaps, 0, Options.FEW);
			long few = peak(stage, secrets, configMaps);
			back(stage, secrets, configMaps);
			create(stage, secrets, configMaps, Options.FEW, stage.objects());
			figures.put("scaleUpHeapMiB", peak(stage, secrets, configMaps) - few);
			double bare = back(stage, secrets, configMaps);
			double rate = join(stage, secrets, configMaps, figures);
			figures.put("scaleUpRateShare", rate / bare);
			figures.put("scaleUpPairsPerSecond", rate);
			figures.put("barePairsPerSecond", bare);
		}
	}

	private static void create(Stage stage, Tally secrets, Tally configMaps, int from, int to)
			throws InterruptedException {
		stage.population().createSecrets(Population.SECRETS, from, to, OF_THREE);
		secrets.awaitObjects(to);
		stage.population().createConfigMaps(from, to, OF_THREE, secrets);
		configMaps.awaitObjects(to);
	}

	private static double back(Stage stage, Tally secrets, Tally configMaps) throws InterruptedException {
		stage.leases().remove(FOURTH);
		return stage.bareClient().move(secrets, configMaps, OF_THREE);
	}

	private static long peak(Stage stage, Tally secrets, Tally configMaps) throws Exception {
		try (Acknowledger acknowledger = stage.acknowledger(); MeasuredSharder sharder = stage.sharder(true, AT_ONCE)) {
			sharder.awaitRest(Stage.SHARDS.size());
			join(stage, secrets, configMaps, sharder);
			acknowledger.check();
			return sharder.peak();
		}
	}

	/* When the last one has moved. */
	private static long join(Stage stage, Tally secrets, Tally configMaps, MeasuredSharder sharder) {
		secrets.expect(OF_FOUR);
		configMaps.expect(OF_FOUR);
		stage.leases().hold(Stage.RING, FOURTH);
		return Math.max(configMaps.await(sharder.process()), secrets.await(sharder.process()));
	}

	private static double join(Stage stage, Tally secrets, Tally configMaps, Figures figures) throws Exception {
		try (Acknowledger acknowledger = stage.acknowledger();
				MeasuredSharder sharder = stage.sharder(false, AT_ONCE)) {
			sharder.awaitRest(Stage.SHARDS.size());
			Pause.of(Duration.ofSeconds(10));
			secrets.expect(OF_FOUR);
			int moves = secrets.misplaced();
			Requests requests = stage.requests();
			double before = sharder.cpuMicros();
			long begin = System.nanoTime();
			long end = join(stage, secrets, configMaps, sharder);
			acknowledger.check();
			figures.put("scaleUpCpuMicros", (sharder.cpuMicros() - before) / moves);
			figures.put("scaleUpMoves", moves);
			figures.put("scaleUpLists", requests.lists());
			figures.put("scaleUpPages", requests.pages());
			return moves * 1e9 / (end - begin);
		}
	}

}
