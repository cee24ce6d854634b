package dev.sharding.shard;

import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import dev.sharding.cache.Freshness;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A reconciler that sees its own writes never runs two Pods; one that does not, does. No
 * webhook labels the Pods: that they are seen at all is due to the stamp of the cache.
 * {@code -Dpods.reconciles=10000} plays the full number of reconciles.
 */
@ControlPlaneTest
class PodExampleIT {

	static final int RECONCILES = Integer.getInteger("pods.reconciles", 200);

	private final KubernetesClient client;

	private final String namespace;

	PodExampleIT(KubernetesClient client, @TestNamespace String namespace) {
		this.client = client;
		this.namespace = namespace;
	}

	@ParameterizedTest
	@EnumSource(PodExample.Way.class)
	void neverTwoPodsWithReadYourWrites(PodExample.Way way) throws Exception {
		int wanted = (way == PodExample.Way.UPDATE_STATUS) ? RECONCILES : RECONCILES / 2;
		try (PodExample example = new PodExample(this.client, this.namespace, Freshness.READ_YOUR_WRITES, way)) {
			example.play(wanted).settle();
			assertThat(example.mostPodsAtOnce()).isEqualTo(1);
			assertThat(example.reconciles()).isGreaterThanOrEqualTo(wanted);
		}
	}

	@Test
	void twoPodsWithAnyFreshness() throws Exception {
		try (PodExample example = new PodExample(this.client, this.namespace, Freshness.ANY)) {
			example.playUntilTwoPods(10_000);
			assertThat(example.mostPodsAtOnce()).as("the control: Pods with a cache that lags").isGreaterThan(1);
		}
	}

}
