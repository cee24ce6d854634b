package dev.sharding.internal.kubernetes.slot;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.jspecify.annotations.Nullable;

import dev.sharding.internal.kubernetes.lease.LeaseContent;
import dev.sharding.protocol.ShardingLabels;

/**
 * The calls for the Leases of a ring's slots. All of them block, and fail with fabric8's
 * exceptions.
 */
final class SlotLeases {

	private final KubernetesClient client;

	private final SlotOptions options;

	SlotLeases(KubernetesClient client, SlotOptions options) {
		this.client = client;
		this.options = options;
	}

	/** The Leases of the ring by their names, as they are now. */
	Map<String, Lease> list() {
		Map<String, Lease> found = new HashMap<>();
		this.client.leases()
			.inNamespace(this.options.namespace())
			.withLabel(ShardingLabels.LEASE_RING, this.options.ring())
			.list()
			.getItems()
			.forEach((lease) -> found.put(lease.getMetadata().getName(), lease));
		return found;
	}

	/** A Lease, whatever ring it is of. */
	@Nullable Lease get(String name) {
		return get(this.options.namespace(), name);
	}

	/** A Lease of another namespace. */
	@Nullable Lease get(String namespace, String name) {
		return this.client.leases().inNamespace(namespace).withName(name).get();
	}

	Lease create(Lease lease) {
		return this.client.leases().inNamespace(this.options.namespace()).resource(lease).create();
	}

	/** Replaces the Lease if its resource version is still the same. */
	Lease update(Lease lease) {
		return this.client.leases().inNamespace(this.options.namespace()).resource(lease).update();
	}

	/** Fails if this process may not make a Lease of the ring. */
	void tryToCreate() {
		Lease lease = new LeaseBuilder(new LeaseContent(this.options.lease(0)).create(false, Instant.now()))
			.editMetadata()
			.withName(this.options.names().prefix() + "-standby")
			.endMetadata()
			.build();
		this.client.leases().inNamespace(this.options.namespace()).resource(lease).dryRun(true).create();
	}

}
