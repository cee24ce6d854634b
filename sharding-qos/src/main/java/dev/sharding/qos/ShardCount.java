package dev.sharding.qos;

import java.time.Duration;
import java.util.List;

import dev.sharding.core.qos.QosRule;
import dev.sharding.kubernetes.qos.Qos;
import dev.sharding.kubernetes.rest.ApiRequest;
import dev.sharding.kubernetes.rest.ApiRequests;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.jspecify.annotations.Nullable;

/**
 * Tells QoS how many shards the ring has, or why that is not known. All others look as
 * often, so after some looks they know of this one too.
 */
final class ShardCount {

	private static final int LOOKS_OF_A_NEWCOMER = 5;

	private static final Duration TIMEOUT = Duration.ofSeconds(10);

	private final Qos qos;

	private final List<KubernetesClient> clients;

	private final @Nullable QosShard shard;

	/* Of the one thread that reads. */
	private int looks;

	/**
	 * Creates a count.
	 * @param clients asked one after another, as only one may know the ring, unless the
	 * shard says which
	 * @param shard which shard this is, {@code null} for none
	 */
	ShardCount(Qos qos, List<KubernetesClient> clients, @Nullable QosShard shard) {
		this.qos = qos;
		KubernetesClient own = (shard != null) ? shard.client() : null;
		this.clients = (own != null) ? List.of(own) : clients;
		this.shard = shard;
	}

	/** Asks, if a rule needs it. */
	void read() {
		if (this.qos.rules().rules().stream().noneMatch(QosRule::ringWide)) {
			return;
		}
		QosShard member = this.shard;
		if (member == null) {
			this.qos.noRing("this process is no shard of a ring");
			return;
		}
		String failure = "there is no client to ask";
		for (KubernetesClient client : this.clients) {
			try {
				int available = availableShards(client, member.ringPath());
				this.looks = Math.min(LOOKS_OF_A_NEWCOMER + 1, this.looks + 1);
				this.qos.shards(available, this.looks <= LOOKS_OF_A_NEWCOMER);
				return;
			}
			catch (RuntimeException ex) {
				if (Thread.currentThread().isInterrupted()) {
					// We stop.
					return;
				}
				failure = String.valueOf(ex.getMessage());
			}
		}
		this.qos.shardsUnknown(failure);
	}

	private static int availableShards(KubernetesClient client, String path) {
		GenericKubernetesResource ring = client.getKubernetesSerialization()
			.unmarshal(new ApiRequests(client).call(ApiRequest.of("GET", path).timeout(TIMEOUT).exempted()).text(),
					GenericKubernetesResource.class);
		if (ring.get("status", "availableShards") instanceof Number available) {
			return available.intValue();
		}
		throw new IllegalStateException("%s does not say how many shards are available".formatted(path));
	}

}
