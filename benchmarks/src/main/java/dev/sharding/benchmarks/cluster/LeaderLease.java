package dev.sharding.benchmarks.cluster;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;

/** The Lease that says which sharder acts. */
public final class LeaderLease {

	private static final String NAMESPACE = "sharding-system";

	private LeaderLease() {
	}

	/**
	 * Nobody holds it, so that the next sharder acts at once: where no sharder has been
	 * before, the first one waits in case there was one, and after one that was killed
	 * the next one waits until its Lease has run out. Call it while none runs.
	 */
	public static void free(KubernetesClient client) {
		client.resource(new NamespaceBuilder().withNewMetadata().withName(NAMESPACE).endMetadata().build())
			.serverSideApply();
		client.leases().inNamespace(NAMESPACE).withName("sharder").delete();
		client
			.resource(new LeaseBuilder().withNewMetadata()
				.withNamespace(NAMESPACE)
				.withName("sharder")
				.endMetadata()
				.withNewSpec()
				.withHolderIdentity("")
				.endSpec()
				.build())
			.create();
	}

}
