package dev.sharding.shard;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import org.junit.jupiter.api.Test;

import dev.sharding.controller.ControllerSpec;
import dev.sharding.controller.Result;
import dev.sharding.internal.kubernetes.cache.check.ReadOptions;
import dev.sharding.internal.kubernetes.cache.check.ReadStrategy;
import dev.sharding.internal.kubernetes.lease.LeaseHolderConfig;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * A controller must not get the marker of its own reads to reconcile.
 */
class BarrierOfMainResourceTests {

	private static final ControllerSpec<Secret> SPEC = ControllerSpec
		.of(ShardWorld.SECRETS, (Secret secret) -> Result.done())
		.build();

	private final RuntimeOptions options = RuntimeOptions.DEFAULTS
		.withReads(ReadOptions.DEFAULTS.withStrategy("secrets", ReadStrategy.BARRIER));

	@Test
	void isRefused() {
		try (KubernetesClient client = new KubernetesClientBuilder()
			.withConfig(new ConfigBuilder(Config.empty()).withMasterUrl("http://127.0.0.1:1").build())
			.build();
				LeaderElectedControllers plain = LeaderElectedControllers.everywhere(client, this.options);
				Shard shard = new Shard(client, client, "ring",
						LeaseHolderConfig.shard("default", "ring", "s1", ShardWorld.TIMINGS), this.options, null)) {
			assertThatIllegalArgumentException().isThrownBy(() -> plain.add(SPEC)).withMessageContaining("barrier");
			assertThatIllegalArgumentException().isThrownBy(() -> shard.add(SPEC))
				.withMessageContaining("barrier for secrets");
		}
	}

}
