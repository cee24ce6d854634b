package dev.sharding.benchmarks.scale;

import dev.sharding.benchmarks.cluster.Figures;
import dev.sharding.internal.sharder.ring.ControllerRing;

/**
 * {@code cleanUpHeapMiB}: a ring is deleted, and its Secrets lose their labels.
 */
final class CleanUp implements Part {

	@Override
	public void run(Stage stage, Figures figures) throws Exception {
		stage.holdShards();
		try (Tally secrets = stage.tally(Population.SECRETS)) {
			long few = peak(stage, secrets, 0, Options.FEW);
			// The few have a shard again before the ring is deleted once more.
			long many = peak(stage, secrets, Options.FEW, stage.objects());
			figures.put("cleanUpHeapMiB", many - few);
		}
	}

	private static long peak(Stage stage, Tally secrets, int from, int to) throws Exception {
		Resyncs.create(stage, from, to);
		secrets.awaitObjects(to);
		secrets.expect(Population.ownersOf(Stage.SHARDS));
		stage.createRing();
		long peak;
		try (MeasuredSharder sharder = stage.sharder(true)) {
			sharder.awaitRest(Stage.SHARDS.size());
			secrets.await(sharder.process());
			secrets.expect((name) -> "");
			stage.client().resources(ControllerRing.class).withName(Stage.RING).delete();
			secrets.await(sharder.process());
			peak = sharder.peak();
		}
		stage.forgetRing();
		return peak;
	}

}
