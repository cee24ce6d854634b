package dev.sharding.benchmarks.scale;

import dev.sharding.internal.core.assignment.LabelPatch;
import dev.sharding.protocol.ShardingLabels;
import io.fabric8.kubernetes.client.KubernetesClient;

/**
 * Lets go of each Secret as soon as the sharder asks for it, as a shard does that has
 * nothing else to do. The bare client does that itself, so this one is not there then.
 */
final class Acknowledger implements AutoCloseable {

	private final BareClient patches;

	private final MetadataWatch watch;

	Acknowledger(KubernetesClient client) {
		this.patches = new BareClient(client);
		this.watch = new MetadataWatch(client, Population.SECRETS, Stage.RING, ShardingLabels.drain(Stage.RING),
				this::seen);
	}

	private void seen(MetadataWatch.Event event) {
		if (!event.type().equals("DELETED")) {
			// A conflict means that there is a newer version, which the watch shows.
			this.patches.patch(Population.SECRETS, event.name(),
					LabelPatch.acknowledgeDrain(Stage.RING, event.version()));
		}
	}

	/** Throws if it has missed drains. */
	void check() {
		this.watch.check();
	}

	@Override
	public void close() {
		this.watch.close();
	}

}
