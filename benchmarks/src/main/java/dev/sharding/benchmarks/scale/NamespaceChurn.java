package dev.sharding.benchmarks.scale;

import java.time.Duration;

import dev.sharding.benchmarks.cluster.Figures;
import dev.sharding.benchmarks.cluster.Pause;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;

/**
 * {@code namespaceChurnLists}: once a second an empty namespace enters or leaves the
 * scope of a ring of 20,000 objects, no more, that are all in place.
 */
final class NamespaceChurn implements Part {

	private static final int OBJECTS = 20_000;

	private static final String NAMESPACE = "churn";

	@Override
	public void run(Stage stage, Figures figures) throws Exception {
		stage.namespace(NAMESPACE, "no");
		stage.holdShards();
		Resyncs.create(stage, 0, Math.min(OBJECTS, stage.objects()));
		stage.createRingOfSelected();
		try (MeasuredSharder sharder = stage.sharder(false)) {
			sharder.awaitRest(Stage.SHARDS.size());
			Requests requests = stage.requests();
			double before = sharder.cpuMicros();
			long seconds = stage.options().window().toSeconds();
			for (int event = 0; event < seconds; event++) {
				Pause.of(Duration.ofSeconds(1));
				select(stage, event % 2 == 0);
			}
			figures.put("namespaceChurnLists", requests.lists() * 60.0 / seconds);
			figures.put("namespaceChurnPages", requests.pages() * 60.0 / seconds);
			figures.put("namespaceChurnCpuPercent", (sharder.cpuMicros() - before) / seconds / 1e4);
		}
	}

	private static void select(Stage stage, boolean selected) {
		stage.client()
			.namespaces()
			.withName(NAMESPACE)
			.edit((namespace) -> new NamespaceBuilder(namespace).editMetadata()
				.addToLabels("bench", selected ? "selected" : "no")
				.endMetadata()
				.build());
	}

}
