package dev.sharding.internal.sharder.shardlease;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

import dev.sharding.internal.core.assignment.LabelPatch;
import dev.sharding.internal.core.lease.LeaseRecord;
import dev.sharding.internal.core.lease.ShardState;
import dev.sharding.internal.core.slot.SlotLease;
import dev.sharding.internal.core.slot.SlotWrites;
import dev.sharding.internal.kubernetes.lease.LeaseRecords;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.internal.kubernetes.rest.http.MediaTypes;
import dev.sharding.internal.sharder.watch.LeaseTrim;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;

/**
 * What the sharder asks of the API server about a Lease. Every write names the version
 * that was seen. Answers are {@linkplain LeaseTrim trimmed}; what was taken off stays on
 * the Lease in the cluster.
 */
final class LeaseRequests {

	private static final ResourceType<Lease> LEASES = ResourceType.of(Lease.class);

	private final ApiRequests requests;

	private final KubernetesSerialization serialization;

	private final Duration timeout;

	LeaseRequests(ApiRequests requests, KubernetesSerialization serialization, Duration timeout) {
		this.requests = requests;
		this.serialization = serialization;
		this.timeout = timeout;
	}

	/** Reads the Lease as it is now. */
	CompletableFuture<Lease> get(Lease lease, Duration within) {
		return lease(ApiRequest.of("GET", path(lease)), within);
	}

	/** Shows the state of the shard on its Lease. */
	CompletableFuture<Lease> showState(Lease lease, ShardState state) {
		LabelPatch patch = LabelPatch.state(state, lease.getMetadata().getResourceVersion());
		return lease(ApiRequest.of("PATCH", path(lease), LabelPatch.CONTENT_TYPE, patch.toJson()), this.timeout);
	}

	/** The same, and that it has its part of the objects. */
	CompletableFuture<Lease> showState(Lease lease, ShardState state, Instant settled) {
		String patch = this.serialization.asJson(Map.of("metadata",
				Map.of("resourceVersion", lease.getMetadata().getResourceVersion(), "labels",
						Map.of(ShardingLabels.LEASE_STATE, state.label()), "annotations",
						Map.of(ShardingLabels.SETTLED, settled.truncatedTo(ChronoUnit.MICROS).toString()))));
		return lease(ApiRequest.of("PATCH", path(lease), LabelPatch.CONTENT_TYPE, patch), this.timeout);
	}

	/**
	 * Writes what the Lease is to say while it is ours, or when we leave it: nobody waits
	 * for a holder, nor has the next one a part of the objects from the start.
	 */
	CompletableFuture<Lease> write(Lease lease, LeaseRecord record) {
		return put(lease,
				(whole) -> new LeaseBuilder(unmarked(whole, record)).editMetadata()
					.removeFromAnnotations(ShardingLabels.TAKEN_BY_FORCE)
					.endMetadata()
					.build());
	}

	/** Takes the Lease from a shard that may be at work, and leaves a note of that. */
	CompletableFuture<Lease> force(Lease lease, LeaseRecord record) {
		return put(lease,
				(whole) -> new LeaseBuilder(unmarked(whole, record)).editMetadata()
					.addToAnnotations(ShardingLabels.TAKEN_BY_FORCE, "true")
					.endMetadata()
					.build());
	}

	private static Lease unmarked(Lease lease, LeaseRecord record) {
		SlotLease seen = LeaseRecords.slotLease(lease);
		return LeaseRecords.write(lease, new SlotLease(record, seen.ring(), seen.uid(), SlotWrites.unmarked(seen)));
	}

	/** Puts the label of a ring on the version of a Lease that is given. */
	CompletableFuture<Lease> labelRing(Lease lease, String ring) {
		return put(lease,
				(whole) -> new LeaseBuilder(whole).editMetadata()
					.addToLabels(ShardingLabels.LEASE_RING, ring)
					.endMetadata()
					.build());
	}

	private CompletableFuture<Lease> put(Lease seen, UnaryOperator<Lease> change) {
		return whole(seen).thenCompose((whole) -> {
			String body = this.serialization.asJson(change.apply(whole));
			return lease(ApiRequest.of("PUT", path(whole), MediaTypes.JSON, body), this.timeout);
		});
	}

	private CompletableFuture<Lease> whole(Lease seen) {
		if (!LeaseTrim.isTrimmed(seen)) {
			return CompletableFuture.completedFuture(seen);
		}
		return read(ApiRequest.of("GET", path(seen)), this.timeout).thenApply((found) -> {
			// If it was written meanwhile, the write is refused as any other.
			found.getMetadata().setResourceVersion(seen.getMetadata().getResourceVersion());
			return found;
		});
	}

	/** Creates a Lease. */
	CompletableFuture<Lease> create(Lease lease) {
		String collection = LEASES.path(lease.getMetadata().getNamespace(), null);
		return lease(ApiRequest.of("POST", collection, MediaTypes.JSON, this.serialization.asJson(lease)),
				this.timeout);
	}

	/** Deletes the Lease if it still is the one that was seen. */
	CompletableFuture<?> delete(Lease lease) {
		ObjectMeta metadata = lease.getMetadata();
		String body = this.serialization.asJson(Map.of("apiVersion", "v1", "kind", "DeleteOptions", "preconditions",
				Map.of("uid", metadata.getUid(), "resourceVersion", metadata.getResourceVersion())));
		return this.requests.send(ApiRequest.of("DELETE", path(lease), MediaTypes.JSON, body).timeout(this.timeout));
	}

	private CompletableFuture<Lease> lease(ApiRequest request, Duration within) {
		return read(request, within).thenApply((lease) -> {
			LeaseTrim.trim(lease);
			return lease;
		});
	}

	private CompletableFuture<Lease> read(ApiRequest request, Duration within) {
		return this.requests.send(request.timeout(within))
			.thenApply((response) -> this.serialization.unmarshal(response.stream(), Lease.class));
	}

	private static String path(Lease lease) {
		return LEASES.path(ObjectKey.of(lease));
	}

}
