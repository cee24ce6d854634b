package dev.sharding.qos;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import dev.sharding.internal.core.qos.RingShare;
import dev.sharding.internal.kubernetes.qos.Qos;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.qos.spi.QosRule;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells QoS how many shards the ring has, or why that is not known. All others look as
 * often, so some looks after it got its Lease they know of this one too.
 */
final class ShardCount {

	private static final Logger logger = LoggerFactory.getLogger(ShardCount.class);

	private static final Duration TIMEOUT = Duration.ofSeconds(10);

	private final Qos qos;

	private final List<KubernetesClient> clients;

	/* By the names of the rings; that of rules that name none is empty. */
	private final Map<String, QosShard> shards = new HashMap<>();

	/* Of the one thread that reads. */
	private final Map<String, Looks> looks = new HashMap<>();

	/**
	 * Creates a count.
	 * @param clients asked one after another, as only one may know the ring, unless a
	 * shard says which
	 * @param main which shard this is for rules that name no ring, {@code null} for none
	 * @param all all shards that this is
	 */
	ShardCount(Qos qos, List<KubernetesClient> clients, @Nullable QosShard main, List<QosShard> all) {
		this.qos = qos;
		this.clients = clients;
		all.forEach((shard) -> this.shards.put(shard.ring(), shard));
		if (main != null) {
			this.shards.put("", main);
		}
	}

	/** Asks for the rings that rules need. */
	void read() {
		this.qos.rules().rules().stream().filter(QosRule::ringWide).map(QosRule::ring).distinct().forEach((ring) -> {
			try {
				read(ring);
			}
			catch (RuntimeException ex) {
				// A limit of the user's; the next look comes all the same.
				logger.warn("Failed to divide the limits of ring '{}'", ring, ex);
			}
		});
	}

	private void read(String ring) {
		QosShard member = this.shards.get(ring);
		if (member != null) {
			read(ring, member);
		}
		else if (ring.isEmpty() && !this.shards.isEmpty()) {
			this.qos.shardsUnknown(ring, "this process is a shard of %s and the rule does not say of which: set 'ring'"
				.formatted(this.shards.keySet().stream().sorted().toList()));
		}
		else {
			this.qos.noRing(ring, ring.isEmpty() ? "this process is no shard of a ring"
					: "this process is no shard of the ring '%s'".formatted(ring));
		}
	}

	private void read(String ring, QosShard member) {
		// First: one that it gets meanwhile may not be counted yet.
		Object term = member.term().get();
		String failure = "there is no client to ask";
		KubernetesClient own = member.client();
		for (KubernetesClient client : (own != null) ? List.of(own) : this.clients) {
			try {
				int available = availableShards(client, member.ringPath());
				Looks now = Looks.after(this.looks.get(ring), term);
				this.looks.put(ring, now);
				this.qos.shards(ring, available, now.count());
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
		this.qos.shardsUnknown(ring, failure);
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

	/** How often was looked in a term of the shard's Lease; never, without one. */
	private record Looks(@Nullable Object term, int count) {

		static Looks after(@Nullable Looks before, @Nullable Object term) {
			if (term == null) {
				return new Looks(null, 0);
			}
			int count = (before != null && term.equals(before.term())) ? before.count() : 0;
			return new Looks(term, Math.min(RingShare.NEWCOMER_FOR, count) + 1);
		}

	}

}
