package dev.sharding.internal.sharder;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.sharding.internal.kubernetes.qos.Qos;
import dev.sharding.internal.kubernetes.qos.QosOptions;
import dev.sharding.internal.kubernetes.qos.limit.QosPieces;
import dev.sharding.internal.kubernetes.rest.ThrottledClient;
import dev.sharding.internal.sharder.ring.ControllerRingSpec;
import dev.sharding.qos.spi.Accounting;
import dev.sharding.qos.spi.Cost;
import dev.sharding.qos.spi.Operation;
import dev.sharding.qos.spi.PathPrefix;
import dev.sharding.qos.spi.QosClass;
import dev.sharding.qos.spi.QosRule;
import dev.sharding.qos.spi.QosRules;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;
import io.fabric8.kubernetes.api.model.LabelSelectorBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.github.resilience4j.bulkhead.BulkheadRegistry;
import io.github.resilience4j.ratelimiter.RateLimiterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A sharder whose client may hardly do anything: what hands objects over is not limited.
 */
@ControlPlaneTest
class LimitedSharderIT {

	private final World world;

	LimitedSharderIT(KubernetesClient client, @TestNamespace String namespace) {
		this.world = new World(client, namespace, "ring-" + namespace);
	}

	@AfterEach
	void close() throws Exception {
		this.world.close();
	}

	@Test
	void assignsDrainsAndTakesLeasesAtOnce() {
		this.world.withRing((spec) -> new ControllerRingSpec(spec.resources(),
				new LabelSelectorBuilder().addToMatchLabels("kubernetes.io/metadata.name", this.world.namespace)
					.build()));
		Qos qos = new Qos(
				QosRules.define(Map.of("hardly", new QosClass.TokenBucket(0.001, 1)),
						List.of(rule("secrets", 2, "/api/v1/secrets"),
								rule("leases", 1, "/apis/coordination.k8s.io/v1/leases"), reads())),
				new QosOptions(16, 2_000, Duration.ofMinutes(1), 16, 0, Duration.ofMinutes(1), Set.of()),
				QosPieces.standard(RateLimiterRegistry.ofDefaults(), BulkheadRegistry.ofDefaults(), System::nanoTime),
				new SimpleMeterRegistry(), InstantSource.system(), System::nanoTime);
		try (KubernetesClient limited = ThrottledClient
			.of(new KubernetesClientBuilder().withConfig(this.world.client.getConfiguration()).build(), qos)) {
			// All that may be read of anything else.
			limited.configMaps().inNamespace(this.world.namespace).list();
			Sharder sharder = this.world.start(limited, World.AT_ONCE);
			this.world.shard("shard-a");
			for (int i = 0; i < 5; i++) {
				this.world.secret("n-" + i);
			}
			World.await().untilAsserted(() -> {
				for (int i = 0; i < 5; i++) {
					assertThat(this.world.secretShard("n-" + i)).isEqualTo("shard-a");
				}
			});
			String moving = this.world.secretOf("shard-b", "shard-a", "shard-b");
			this.world.secret(moving);
			World.await().untilAsserted(() -> assertThat(this.world.secretShard(moving)).isEqualTo("shard-a"));
			this.world.shard("shard-b");
			World.await().untilAsserted(() -> assertThat(this.world.isDraining(moving)).isTrue());
			this.world.release("shard-a");
			World.await().untilAsserted(() -> assertThat(this.world.secretShard(moving)).isEqualTo("shard-b"));
			sharder.close();
		}
	}

	private static QosRule reads() {
		return new QosRule("reads", true, 3, List.of(), List.of(PathPrefix.parse("/")),
				Set.of(Operation.GET, Operation.LIST, Operation.WATCH), List.of(), "hardly", Cost.REQUESTS,
				Accounting.RULE, false, "", Duration.ofHours(1));
	}

	private static QosRule rule(String name, int priority, String path) {
		return new QosRule(name, true, priority, List.of(), List.of(PathPrefix.parse(path)),
				Set.of(Operation.PATCH, Operation.UPDATE, Operation.LIST, Operation.WATCH), List.of(), "hardly",
				Cost.REQUESTS, Accounting.RULE, false, "", Duration.ofHours(1));
	}

}
