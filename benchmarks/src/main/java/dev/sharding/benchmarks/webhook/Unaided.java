package dev.sharding.benchmarks.webhook;

import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

import dev.sharding.benchmarks.cluster.Waiting;
import dev.sharding.protocol.ShardingLabels;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;

/**
 * How long an object that the webhook missed is without a shard: from the response to its
 * create until a watch shows its label.
 */
final class Unaided implements Watcher<Secret> {

	private final Map<String, Long> labelled = new ConcurrentHashMap<>();

	private final String label;

	private Unaided(String ring) {
		this.label = ShardingLabels.shard(ring);
	}

	/** The 99th percentile, in nanoseconds. */
	static long p99(KubernetesClient client, Creates creates, String ring, String namespace, int count, Duration limit)
			throws Exception {
		Unaided unaided = new Unaided(ring);
		String now = client.secrets()
			.inNamespace(namespace)
			.list(new ListOptionsBuilder().withLimit(1L).build())
			.getMetadata()
			.getResourceVersion();
		try (Watch watch = client.secrets().inNamespace(namespace).withResourceVersion(now).watch(unaided)) {
			Map<String, Long> created = creates.timed(namespace, count);
			Waiting.until("all objects to be assigned", limit,
					() -> unaided.labelled.keySet().containsAll(created.keySet()));
			long[] waits = created.entrySet()
				.stream()
				.mapToLong((entry) -> Math.max(0,
						Objects.requireNonNull(unaided.labelled.get(entry.getKey())) - entry.getValue()))
				.toArray();
			Arrays.sort(waits);
			return waits[(int) Math.ceil(waits.length * 0.99) - 1];
		}
	}

	@Override
	public void eventReceived(Action action, Secret secret) {
		Map<String, String> labels = secret.getMetadata().getLabels();
		if (labels != null && labels.containsKey(this.label)) {
			this.labelled.putIfAbsent(secret.getMetadata().getName(), System.nanoTime());
		}
	}

	@Override
	public void onClose(WatcherException cause) {
		System.err.println("The watch of the benchmark ended: " + cause);
	}

}
