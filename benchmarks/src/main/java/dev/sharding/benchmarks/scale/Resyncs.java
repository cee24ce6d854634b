package dev.sharding.benchmarks.scale;

import java.time.Duration;

import dev.sharding.benchmarks.cluster.Figures;
import dev.sharding.benchmarks.cluster.Pause;

/**
 * {@code resyncHeapMiB}, {@code resyncCpuMicros}: resyncs of Secrets that are all in
 * place, one after the other. What the sharder takes at rest in the same time is no part
 * of it.
 */
final class Resyncs implements Part {

	private static final String ALWAYS = "--sharding.sharder.sync-period=1s";

	private static final int WARM_UP = 3;

	private static final int COUNT = 10;

	@Override
	public void run(Stage stage, Figures figures) throws Exception {
		stage.holdShards();
		stage.createRing();
		create(stage, 0, Options.FEW);
		long few = peak(stage);
		create(stage, Options.FEW, stage.objects());
		figures.put("resyncHeapMiB", peak(stage) - few);
		double idle = idle(stage);
		try (MeasuredSharder sharder = stage.sharder(false, ALWAYS)) {
			sharder.awaitRest(Stage.SHARDS.size());
			sharder.awaitResyncs(WARM_UP);
			int first = sharder.resyncs();
			Requests requests = stage.requests();
			double before = sharder.cpuMicros();
			long begin = System.nanoTime();
			sharder.awaitResyncs(first + COUNT);
			double seconds = (System.nanoTime() - begin) / 1e9;
			double cpu = sharder.cpuMicros() - before - idle * seconds;
			int resyncs = sharder.resyncs() - first;
			figures.put("resyncCpuMicros", cpu / resyncs / stage.objects());
			// The second between two of them is no part of it either.
			figures.put("resyncSeconds", seconds / resyncs - 1);
			figures.put("resyncPages", requests.pages() / (double) resyncs);
		}
	}

	static void create(Stage stage, int from, int to) throws InterruptedException {
		stage.population().createSecrets(Population.SECRETS, from, to, Population.ownersOf(Stage.SHARDS));
	}

	private static long peak(Stage stage) throws Exception {
		try (MeasuredSharder sharder = stage.sharder(true, ALWAYS)) {
			sharder.awaitRest(Stage.SHARDS.size());
			sharder.awaitResyncs(sharder.resyncs() + WARM_UP);
			return sharder.peak();
		}
	}

	/* Microseconds a second. */
	private static double idle(Stage stage) throws Exception {
		try (MeasuredSharder sharder = stage.sharder(false, "--sharding.sharder.sync-period=1h")) {
			sharder.awaitRest(Stage.SHARDS.size());
			Pause.of(Duration.ofSeconds(10));
			double before = sharder.cpuMicros();
			Pause.of(stage.options().window());
			return (sharder.cpuMicros() - before) / stage.options().window().toSeconds();
		}
	}

}
