package dev.sharding.shard;

import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.sharding.cache.Freshness;
import dev.sharding.test.ControlPlaneExtension;
import dev.sharding.test.TestNamespace;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * As {@link PodExampleIT}, with an API server whose lists are pages.
 */
class PodExampleWithoutWatchListIT {

	@RegisterExtension
	static final ControlPlaneExtension controlPlane = ControlPlaneExtension
		.own((builder) -> builder.featureGate("WatchList", false));

	private final KubernetesClient client;

	private final String namespace;

	PodExampleWithoutWatchListIT(KubernetesClient client, @TestNamespace String namespace) {
		this.client = client;
		this.namespace = namespace;
	}

	@Test
	void neverTwoPodsWithReadYourWrites() throws Exception {
		try (PodExample example = new PodExample(this.client, this.namespace, Freshness.READ_YOUR_WRITES)) {
			example.play(PodExampleIT.RECONCILES).settle();
			assertThat(example.mostPodsAtOnce()).isEqualTo(1);
			assertThat(example.reconciles()).isGreaterThanOrEqualTo(PodExampleIT.RECONCILES);
		}
	}

}
