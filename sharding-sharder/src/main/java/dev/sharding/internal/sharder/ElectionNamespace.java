package dev.sharding.internal.sharder;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sees to it that there is a namespace for the Lease of the leader.
 */
final class ElectionNamespace {

	private static final Logger log = LoggerFactory.getLogger(ElectionNamespace.class);

	private ElectionNamespace() {
	}

	/**
	 * Creates the namespace if it is missing and may be created. Never fails: the attempt
	 * to acquire the Lease tells, time and again, what is missing.
	 */
	static void ensure(KubernetesClient client, String namespace) {
		try {
			if (client.namespaces().withName(namespace).get() == null) {
				client.resource(new NamespaceBuilder().withNewMetadata().withName(namespace).endMetadata().build())
					.create();
				log.info("Created namespace namespace={}", namespace);
			}
		}
		catch (KubernetesClientException ex) {
			if (ex.getCode() != 409) {
				log.warn("Failed to find or create Namespace {}: {}. If it does not exist, create it, or name another"
						+ " one with 'sharding.sharder.leader-election.namespace'", namespace, ex.getMessage());
			}
		}
	}

}
