package dev.sharding.benchmarks.scale;

import java.time.Duration;

import dev.sharding.benchmarks.cluster.Figures;
import dev.sharding.benchmarks.cluster.Pause;

/**
 * {@code foreignHeapMiB}: objects in a namespace that the ring does not select, and one
 * that is the ring's, whose label says that the sharder has seen what it looks at.
 */
final class Foreign implements Part {

	private static final String PATH = "/api/v1/namespaces/foreign/secrets";

	@Override
	public void run(Stage stage, Figures figures) throws Exception {
		stage.namespace("foreign", "no");
		stage.holdShards();
		stage.createRingOfSelected();
		try (Tally secrets = stage.tally(Population.SECRETS)) {
			long none = peak(stage, secrets, 0);
			stage.population().createSecrets(PATH, 0, stage.objects(), (name) -> "");
			Requests requests = stage.requests();
			long many = peak(stage, secrets, 1);
			figures.put("foreignHeapMiB", many - none);
			figures.put("restHeapMiB", none);
			figures.put("foreignLists", requests.lists());
		}
	}

	private static long peak(Stage stage, Tally secrets, int number) throws Exception {
		stage.population().createSecrets(Population.SECRETS, number, number + 1, (name) -> "");
		secrets.awaitObjects(number + 1);
		secrets.expect(Population.ownersOf(Stage.SHARDS));
		try (MeasuredSharder sharder = stage.sharder(true)) {
			sharder.awaitRest(Stage.SHARDS.size());
			secrets.await(sharder.process());
			Pause.of(Duration.ofSeconds(5));
			return sharder.peak();
		}
	}

}
