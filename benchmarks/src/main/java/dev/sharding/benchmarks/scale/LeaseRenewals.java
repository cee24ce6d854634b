package dev.sharding.benchmarks.scale;

import java.time.Duration;

import dev.sharding.benchmarks.cluster.Figures;
import dev.sharding.benchmarks.cluster.Pause;
import dev.sharding.benchmarks.cluster.Rings;
import dev.sharding.benchmarks.cluster.Waiting;

/**
 * {@code leaseCpuRatio}: rings without objects, of 20 shards each that renew every two
 * seconds. What as many rings take without Leases is no part of it.
 */
final class LeaseRenewals implements Part {

	private static final int SHARDS = 20;

	private static final int FEW = 5;

	private static final int MANY = 50;

	@Override
	public void run(Stage stage, Figures figures) throws Exception {
		double few = cpu(stage, 0, FEW);
		removeAll(stage, FEW);
		double many = cpu(stage, FEW, MANY);
		figures.put("leaseCpuRatio", many / few);
		figures.put("leaseCpuPercentOf100", few / 1e4);
		figures.put("leaseCpuPercentOf1000", many / 1e4);
		figures.put("renewalCpuMicros", many / (MANY * SHARDS / 2.0));
	}

	/* Microseconds a second, of the Leases alone. */
	private static double cpu(Stage stage, int from, int to) throws Exception {
		for (int ring = from; ring < to; ring++) {
			Rings.create(stage.client(), name(ring), Rings.SECRETS);
		}
		try (MeasuredSharder sharder = stage.sharder(false)) {
			sharder.awaitTerm();
			double without = perSecond(stage, sharder);
			for (int ring = 0; ring < to; ring++) {
				for (int shard = 0; shard < SHARDS; shard++) {
					stage.leases().hold(name(ring), shard(ring, shard));
				}
			}
			for (int ring = 0; ring < to; ring++) {
				String name = name(ring);
				Waiting.until("the shards of " + name, Duration.ofMinutes(5),
						() -> Rings.available(stage.client(), name) == SHARDS);
			}
			double with = perSecond(stage, sharder);
			System.err.printf("%d rings: CPU %.0f us a second without Leases, %.0f with%n", to, without, with);
			return with - without;
		}
	}

	private static void removeAll(Stage stage, int rings) {
		for (int ring = 0; ring < rings; ring++) {
			for (int shard = 0; shard < SHARDS; shard++) {
				stage.leases().remove(shard(ring, shard));
			}
		}
	}

	/* The code is warm, and what has just changed is done, after the first window. */
	private static double perSecond(Stage stage, MeasuredSharder sharder) {
		Duration window = stage.options().window();
		Pause.of(window);
		double before = sharder.cpuMicros();
		Pause.of(window);
		return (sharder.cpuMicros() - before) / window.toSeconds();
	}

	private static String name(int ring) {
		return "ring-" + ring;
	}

	private static String shard(int ring, int shard) {
		return name(ring) + "-shard-" + shard;
	}

}
