package dev.sharding.benchmarks.scale;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import dev.sharding.benchmarks.cluster.Figures;
import dev.sharding.benchmarks.cluster.Pause;
import dev.sharding.benchmarks.cluster.Rings;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;

/**
 * {@code smallRingAssignMillisP99}: in a ring of ten objects one more is created and
 * another one deleted, five times a second, while a large ring adopts all its own. From
 * the answer to the create until a watch shows the label.
 */
final class SmallRing implements Part {

	private static final String SMALL = "small";

	private static final String PATH = "/api/v1/namespaces/small/configmaps";

	private static final int OBJECTS = 10;

	private final Map<String, Long> created = new ConcurrentHashMap<>();

	private final Map<String, Long> labelled = new ConcurrentHashMap<>();

	@Override
	public void run(Stage stage, Figures figures) throws Exception {
		stage.namespace(SMALL, SMALL);
		stage.holdShards();
		List.of("small-0", "small-1", "small-2").forEach((shard) -> stage.leases().hold(SMALL, shard));
		Rings.create(stage.client(), SMALL, """
				{namespaceSelector: {matchLabels: {bench: small}}, resources: [{group: "", resource: configmaps}]}""");
		try (Tally secrets = stage.tally(Population.SECRETS);
				MetadataWatch watch = new MetadataWatch(stage.client(), PATH, SMALL, null, this::seen)) {
			Adopt.create(stage, secrets, 0, stage.objects());
			secrets.expect(Population.ownersOf(Stage.SHARDS));
			try (MeasuredSharder sharder = stage.sharder(false)) {
				sharder.awaitTerm();
				int number = fill(stage.client());
				this.created.clear();
				stage.createRingOfSelected();
				while (secrets.misplaced() > 0 && sharder.process().isAlive()) {
					create(stage.client(), number++);
					stage.client().configMaps().inNamespace(SMALL).withName(name(number - 1 - OBJECTS)).delete();
					Pause.of(Duration.ofMillis(200));
				}
				Pause.of(Duration.ofSeconds(10));
				watch.check();
			}
		}
		List<Long> millis = new ArrayList<>();
		// What has no label by now has waited for longer than anybody looked.
		this.created.forEach((name, at) -> millis
			.add(TimeUnit.NANOSECONDS.toMillis(Math.max(0, this.labelled.getOrDefault(name, System.nanoTime()) - at))));
		millis.sort(null);
		figures.put("smallRingAssignMillisP99", millis.get((int) Math.ceil(millis.size() * 0.99) - 1));
		figures.put("smallRingAssignMillisP50", millis.get(millis.size() / 2));
		figures.put("smallRingAssigned", millis.size());
	}

	private int fill(KubernetesClient client) {
		for (int number = 0; number < OBJECTS; number++) {
			create(client, number);
		}
		Pause.of(Duration.ofSeconds(10));
		return OBJECTS;
	}

	private void create(KubernetesClient client, int number) {
		client
			.resource(new ConfigMapBuilder().withNewMetadata()
				.withNamespace(SMALL)
				.withName(name(number))
				.endMetadata()
				.build())
			.create();
		this.created.put(name(number), System.nanoTime());
	}

	private void seen(MetadataWatch.Event event) {
		if (!event.shard().isEmpty()) {
			this.labelled.putIfAbsent(event.name(), System.nanoTime());
		}
	}

	private static String name(int number) {
		return "small-" + number;
	}

}
