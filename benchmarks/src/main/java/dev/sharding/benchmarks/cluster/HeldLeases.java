package dev.sharding.benchmarks.cluster;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.internal.kubernetes.rest.http.MediaTypes;
import dev.sharding.protocol.ShardingLabels;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;

/**
 * Leases of shards behind which is no shard, renewed every two seconds as those of real
 * ones, spread over that time.
 */
public final class HeldLeases implements AutoCloseable {

	private static final int TURNS = 20;

	private static final long TURN_MILLIS = 100;

	private static final DateTimeFormatter MICROS = DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'")
		.withZone(ZoneOffset.UTC);

	private final KubernetesClient client;

	private final ApiRequests requests;

	private final String namespace;

	private final Set<String> names = ConcurrentHashMap.newKeySet();

	/* Whose renewal is under way: on a busy machine they must not pile up. */
	private final Set<String> renewed = ConcurrentHashMap.newKeySet();

	private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

	private int turn;

	/**
	 * Begins to renew what will be held.
	 * @param client may write Leases
	 * @param namespace where the Leases are
	 */
	public HeldLeases(KubernetesClient client, String namespace) {
		this.client = client;
		this.requests = new ApiRequests(client);
		this.namespace = namespace;
		this.timer.scheduleAtFixedRate(this::renewSome, TURN_MILLIS, TURN_MILLIS, TimeUnit.MILLISECONDS);
	}

	/** A shard joins a ring. */
	public void hold(String ring, String shard) {
		ZonedDateTime now = ZonedDateTime.now(ZoneOffset.UTC);
		this.client
			.resource(new LeaseBuilder().withNewMetadata()
				.withNamespace(this.namespace)
				.withName(shard)
				.addToLabels(ShardingLabels.LEASE_RING, ring)
				.addToAnnotations(ShardingLabels.INSTANCE_ID, "bench")
				.endMetadata()
				.withNewSpec()
				.withHolderIdentity(shard)
				.withLeaseDurationSeconds(15)
				.withAcquireTime(now)
				.withRenewTime(now)
				.endSpec()
				.build())
			.create();
		this.names.add(shard);
	}

	/** There is no such shard any more, and no sign of it. */
	public void remove(String shard) {
		this.names.remove(shard);
		this.client.leases().inNamespace(this.namespace).withName(shard).delete();
	}

	private void renewSome() {
		int now = this.turn++ % TURNS;
		for (String name : this.names) {
			if (Math.floorMod(name.hashCode(), TURNS) == now && this.renewed.add(name)) {
				renew(name);
			}
		}
	}

	private void renew(String name) {
		String body = "{\"spec\":{\"renewTime\":\"" + MICROS.format(Instant.now()) + "\"}}";
		String path = "/apis/coordination.k8s.io/v1/namespaces/" + this.namespace + "/leases/" + name;
		this.requests.send(ApiRequest.of("PATCH", path, MediaTypes.MERGE_PATCH, body).accept(MediaTypes.METADATA))
			.whenComplete((answer, failure) -> {
				this.renewed.remove(name);
				if (failure != null && this.names.contains(name)) {
					System.err.println("Failed to renew a Lease: " + failure.getMessage());
				}
			});
	}

	@Override
	public void close() {
		this.timer.shutdownNow();
	}

}
