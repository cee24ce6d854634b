package dev.sharding.test;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;

/**
 * The clients that a control plane gave out.
 */
final class Clients {

	private final Set<KubernetesClient> open = ConcurrentHashMap.newKeySet();

	KubernetesClient create(Config config) {
		KubernetesClient client = new KubernetesClientBuilder().withConfig(config).build();
		this.open.add(client);
		return client;
	}

	void closeAll() {
		this.open.forEach(KubernetesClient::close);
		this.open.clear();
	}

}
