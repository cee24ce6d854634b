package dev.sharding.demo;

import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;

/**
 * Makes clients for fabric8's informers that outlive an API server. When a server closes
 * a WebSocket right after it has opened it, as it does with a version that a restarted
 * one does not know, fabric8 may wait for ever for that WebSocket, and the informer sees
 * nothing more. A watch over plain HTTP ends, and begins anew.
 */
final class HttpWatches {

	private HttpWatches() {
	}

	/** A client of the same user. Whoever calls closes it. */
	static KubernetesClient of(KubernetesClient client) {
		return new KubernetesClientBuilder()
			.withConfig(new ConfigBuilder(client.getConfiguration()).withOnlyHttpWatches(true).build())
			.build();
	}

}
