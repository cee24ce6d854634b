package dev.sharding.benchmarks.scale;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import dev.sharding.benchmarks.cluster.Waiting;
import dev.sharding.internal.core.assignment.LabelPatch;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.internal.kubernetes.rest.http.MediaTypes;
import dev.sharding.protocol.ShardingLabels;
import io.fabric8.kubernetes.client.KubernetesClient;

/**
 * What the client can do when it knows beforehand which objects to patch and thinks of
 * nothing: as many merge patches at a time as the sharder, with the same preconditions.
 * It undoes what the sharder did.
 */
final class BareClient {

	private static final Duration PATIENCE = Duration.ofMinutes(5);

	private final ApiRequests requests;

	BareClient(KubernetesClient client) {
		this.requests = new ApiRequests(client);
	}

	/**
	 * Takes the labels off all Secrets that have a shard.
	 * @return patches a second, until a watch has shown the last of them
	 */
	double takeOff(Tally secrets) throws InterruptedException {
		secrets.expect((name) -> "");
		List<String> names = secrets.misplacedNames();
		long begin = System.nanoTime();
		Flight.all(names,
				(name) -> patch(Population.SECRETS, name,
						LabelPatch.acknowledgeDrain(Stage.RING, secrets.of(name).version())
							.unmarking(Stage.RING, Map.of(ShardingLabels.first(Stage.RING), ""))));
		Waiting.until("all labels to be off", PATIENCE, () -> secrets.misplaced() == 0);
		return names.size() * 1e9 / (System.nanoTime() - begin);
	}

	/**
	 * Moves all pairs that are not where they should be, as by a drain: the drain label,
	 * its acknowledgement, the ConfigMap, the Secret.
	 * @return pairs a second, until watches have shown the last of them
	 */
	double move(Tally secrets, Tally configMaps, Function<String, String> owner) throws InterruptedException {
		secrets.expect(owner);
		configMaps.expect(owner);
		List<String> names = secrets.misplacedNames();
		long begin = System.nanoTime();
		Flight.all(names, (name) -> {
			LabelPatch drain = LabelPatch.drain(Stage.RING, secrets.of(name).version());
			LabelPatch follow = LabelPatch.assign(Stage.RING, owner.apply(name), configMaps.of(name).version());
			return patch(Population.SECRETS, name, drain)
				.thenCompose(
						(version) -> patch(Population.SECRETS, name, LabelPatch.acknowledgeDrain(Stage.RING, version)))
				.thenCompose((version) -> patch(Population.CONFIG_MAPS, name, follow)
					.thenCompose((followed) -> patch(Population.SECRETS, name,
							LabelPatch.assign(Stage.RING, owner.apply(name), version))));
		});
		Waiting.until("all pairs to be in place", PATIENCE,
				() -> secrets.misplaced() == 0 && configMaps.misplaced() == 0);
		return names.size() * 1e9 / (System.nanoTime() - begin);
	}

	/** Gives the version after the patch. */
	CompletableFuture<String> patch(String path, String name, LabelPatch patch) {
		return this.requests
			.send(ApiRequest.of("PATCH", path + "/" + name, LabelPatch.CONTENT_TYPE, patch.toJson())
				.accept(MediaTypes.METADATA))
			.thenApply((answer) -> MetadataWatch.between(answer.text(), "\"resourceVersion\":\""));
	}

}
