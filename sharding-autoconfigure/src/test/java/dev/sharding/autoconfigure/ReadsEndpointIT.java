package dev.sharding.autoconfigure;

import java.util.Map;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

import dev.sharding.cache.Freshness;
import dev.sharding.cache.ListOptions;
import dev.sharding.cache.ResourceCache;
import dev.sharding.cache.ResourceCaches;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.shard.RuntimePhase;
import dev.sharding.shard.Shard;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Reads of an application whose strategy is overridden while it runs.
 */
@ControlPlaneTest
class ReadsEndpointIT {

	private final World world;

	ReadsEndpointIT(ControlPlane controlPlane, KubernetesClient client, @TestNamespace String namespace) {
		this.world = World.withRings(controlPlane, client, namespace);
	}

	@Test
	void theApiServerAnswersAfterAnOverrideAndMemoryAfterItsEnd() {
		this.world.ring("overridden", "secrets", null);
		this.world.secret("a", Map.of(ShardingLabels.shard("overridden"), "overridden-1"));
		this.world.shard("overridden", this.world.client())
			.withUserConfiguration(ShardAtWorkIT.CountingController.class)
			.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
			.withPropertyValues("management.endpoints.web.exposure.include=reads")
			.run((context) -> {
				World.soon().until(() -> context.getBean(Shard.class).phase() == RuntimePhase.RUNNING);
				ResourceCache<Secret> secrets = context.getBean(ResourceCaches.class).of(Secret.class);
				MeterRegistry meters = context.getBean(MeterRegistry.class);
				ListOptions consistent = ListOptions.all().freshness(Freshness.CONSISTENT);
				assertThat(secrets.list(consistent)).hasSize(1);
				assertThat(answeredByTheApiServer(meters)).isZero();
				ReadsEndpoint endpoint = context.getBean(ReadsEndpoint.class);
				assertThat(endpoint.override("secrets", "live", null).getStatus()).isEqualTo(200);
				assertThat(secrets.list(consistent)).hasSize(1);
				assertThat(answeredByTheApiServer(meters)).isOne();
				assertThat(endpoint.reset("secrets", null).getStatus()).isEqualTo(200);
				assertThat(secrets.list(consistent)).hasSize(1);
				assertThat(answeredByTheApiServer(meters)).isOne();
			});
	}

	private static double answeredByTheApiServer(MeterRegistry meters) {
		Counter counter = meters.find("sharding.cache.reads").tags("strategy", "live", "outcome", "live").counter();
		return (counter != null) ? counter.count() : 0;
	}

}
