package dev.sharding.internal.autoconfigure.ring;

import io.fabric8.kubernetes.client.KubernetesClient;

import dev.sharding.internal.core.lease.RenewalTimings;
import dev.sharding.internal.kubernetes.lease.LeaseClients;

/**
 * The client for the Lease, kept apart from the beans of type {@code KubernetesClient}.
 */
public final class LeaseConnection implements AutoCloseable {

	private final KubernetesClient client;

	public LeaseConnection(KubernetesClient client, RenewalTimings timings) {
		this.client = LeaseClients.create(client, timings);
	}

	public KubernetesClient client() {
		return this.client;
	}

	@Override
	public void close() {
		this.client.close();
	}

}
