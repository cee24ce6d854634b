package dev.sharding.autoconfigure;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;

import dev.sharding.core.lease.RenewalTimings;
import dev.sharding.kubernetes.lease.LeaseClients;

/**
 * The client for the Lease, kept apart from the beans of type {@code KubernetesClient}.
 */
final class LeaseConnection implements AutoCloseable {

	private final KubernetesClient client;

	LeaseConnection(Config config, RenewalTimings timings) {
		this.client = LeaseClients.create(config, timings);
	}

	KubernetesClient client() {
		return this.client;
	}

	@Override
	public void close() {
		this.client.close();
	}

}
