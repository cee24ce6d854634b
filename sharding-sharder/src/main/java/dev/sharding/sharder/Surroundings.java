package dev.sharding.sharder;

import dev.sharding.sharder.ring.WebhookReports;
import dev.sharding.sharder.watch.SharedWatches;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.jspecify.annotations.Nullable;

/**
 * What a sharder finds where it runs.
 *
 * @param namespace where it keeps account of the rings that it serves
 * @param webhook what the webhook of this process says about its configurations
 * @param shared what the process watches whoever leads; {@code null} if it watches
 * nothing
 */
record Surroundings(String namespace, WebhookReports webhook, @Nullable SharedWatches shared) {

	/** The shared watches, or such as end with the sharder that closes them. */
	SharedWatches watches(KubernetesClient client) {
		return (this.shared != null) ? this.shared.borrowed() : new SharedWatches(client);
	}

	static Surroundings alone(String namespace) {
		return new Surroundings(namespace, new WebhookReports(), null);
	}

	static Surroundings usual() {
		return alone(ElectionOptions.DEFAULT.namespace());
	}

}
