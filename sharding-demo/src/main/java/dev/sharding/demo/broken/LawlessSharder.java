package dev.sharding.demo.broken;

import java.util.Map;

import dev.sharding.protocol.ShardingLabels;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;

/**
 * Acts as a sharder although another leads: takes an object from a shard that lives, and
 * then the Lease of a shard that has just renewed it. Ends when it has done both.
 */
public final class LawlessSharder {

	/** Environment variable that names the ring. */
	private static final String RING = "DEMO_RING";

	/** Environment variable that names the shard whose Lease it takes. */
	private static final String VICTIM = "DEMO_VICTIM";

	private LawlessSharder() {
	}

	/** Does it. */
	public static void main(String[] arguments) {
		String ring = System.getenv(RING);
		String victim = System.getenv(VICTIM);
		try (KubernetesClient client = new KubernetesClientBuilder().build()) {
			Secret secret = client.secrets()
				.inAnyNamespace()
				.withLabel(ShardingLabels.shard(ring), victim)
				.list()
				.getItems()
				.get(0);
			patch(client, secret, "{\"metadata\":{\"labels\":{\"" + ShardingLabels.shard(ring) + "\":null}}}");
			Lease lease = client.leases()
				.inAnyNamespace()
				.withLabels(Map.of(ShardingLabels.LEASE_RING, ring))
				.list()
				.getItems()
				.stream()
				.filter((found) -> found.getMetadata().getName().equals(victim))
				.findFirst()
				.orElseThrow();
			client.resource(lease)
				.patch(PatchContext.of(PatchType.JSON_MERGE),
						"{\"spec\":{\"holderIdentity\":\"shardlease-controller\"}}");
		}
	}

	private static void patch(KubernetesClient client, Secret secret, String patch) {
		client.resource(secret).patch(PatchContext.of(PatchType.JSON_MERGE), patch);
	}

}
