package dev.sharding.internal.sharder;

import java.time.Duration;

import dev.sharding.internal.sharder.memory.MemoryPressure;
import dev.sharding.internal.sharder.ring.WebhookReports;
import dev.sharding.internal.sharder.watch.SharedWatches;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.jspecify.annotations.Nullable;

/**
 * What a sharder finds where it runs, and what tests have otherwise.
 *
 * @param namespace where it keeps account of the rings that it serves
 * @param webhook what the webhook of this process says about its configurations
 * @param shared what the process watches whoever leads; {@code null} if it watches
 * nothing
 * @param unseen for how long a shard may act whose Lease was never seen, where no other
 * of its ring lasts longer
 * @param memory tells whether it has to work slowly
 * @param elected whether sharders elect the one that acts
 */
record Surroundings(String namespace, WebhookReports webhook, @Nullable SharedWatches shared, Duration unseen,
		MemoryPressure memory, boolean elected) {

	private static final Duration UNSEEN = Duration.ofSeconds(15);

	Surroundings(String namespace, WebhookReports webhook, @Nullable SharedWatches shared) {
		this(namespace, webhook, shared, UNSEEN, MemoryPressure.NONE, false);
	}

	/** The shared watches, or such as end with the sharder that closes them. */
	SharedWatches watches(KubernetesClient client) {
		return (this.shared != null) ? this.shared.borrowed() : new SharedWatches(client);
	}

	static Surroundings alone(String namespace) {
		return new Surroundings(namespace, new WebhookReports(), null);
	}

	Surroundings withUnseen(Duration other) {
		return new Surroundings(this.namespace, this.webhook, this.shared, other, this.memory, this.elected);
	}

	Surroundings withMemory(MemoryPressure other) {
		return new Surroundings(this.namespace, this.webhook, this.shared, this.unseen, other, this.elected);
	}

	Surroundings elected(boolean whether) {
		return new Surroundings(this.namespace, this.webhook, this.shared, this.unseen, this.memory, whether);
	}

	static Surroundings usual() {
		return alone(ElectionOptions.DEFAULT.namespace());
	}

}
