package dev.sharding.benchmarks.scale;

import dev.sharding.benchmarks.cluster.Figures;
import dev.sharding.benchmarks.cluster.LeaderLease;
import dev.sharding.internal.sharder.ring.ControllerRing;

/**
 * {@code killedAndDone}: an adoption and a clean-up during each of which the sharder is
 * killed three times, and what it has written in the end, to what there was to write.
 */
final class Killed implements Part {

	@Override
	public void run(Stage stage, Figures figures) throws Exception {
		stage.holdShards();
		try (Tally secrets = stage.tally(Population.SECRETS)) {
			Adopt.create(stage, secrets, 0, stage.objects());
			secrets.expect(Population.ownersOf(Stage.SHARDS));
			stage.createRing();
			double adoption = share(stage, secrets);
			try (MeasuredSharder sharder = stage.sharder(false)) {
				sharder.awaitRest(Stage.SHARDS.size());
			}
			secrets.expect((name) -> "");
			stage.client().resources(ControllerRing.class).withName(Stage.RING).delete();
			double cleanUp = share(stage, secrets);
			figures.put("killedAndDone", Math.max(adoption, cleanUp));
			figures.put("killedAdoption", adoption);
			figures.put("killedCleanUp", cleanUp);
		}
	}

	/* Writes an object. */
	private static double share(Stage stage, Tally secrets) throws Exception {
		Requests requests = stage.requests();
		for (int quarter = 3; quarter >= 0; quarter--) {
			LeaderLease.free(stage.client());
			try (MeasuredSharder sharder = stage.sharder(false)) {
				secrets.await(sharder.process(), stage.objects() / 4 * quarter);
				if (quarter > 0) {
					sharder.kill();
				}
			}
		}
		return requests.patches() / (double) stage.objects();
	}

}
