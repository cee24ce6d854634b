package dev.sharding.internal.sharder;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import dev.sharding.internal.sharder.ring.ControllerRingSpec;
import dev.sharding.internal.sharder.ring.ControllerRingSpec.MainResource;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;
import io.fabric8.kubernetes.api.model.LabelSelectorBuilder;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two rings in one sharder, each with a namespace of its own.
 */
@ControlPlaneTest
class FairnessIT {

	private static final int MANY = 600;

	private static final int FEW = 10;

	/* So that no request waits behind many of those of the large one. */
	private static final SharderOptions SLOW = World.AT_ONCE.withConcurrentMoves(2);

	private final ControlPlane controlPlane;

	private final KubernetesClient client;

	private final String namespace;

	FairnessIT(ControlPlane controlPlane, KubernetesClient client, @TestNamespace String namespace) {
		this.controlPlane = controlPlane;
		this.client = client;
		this.namespace = namespace;
	}

	@Test
	@DisplayName("A ring with many objects does not delay one with ten")
	void servesASmallRingBesideALargeOne() {
		String other = this.namespace + "-small";
		this.client.resource(new NamespaceBuilder().withNewMetadata().withName(other).endMetadata().build()).create();
		try (GatedApi api = new GatedApi(this.controlPlane);
				World large = new World(this.client, this.namespace, "large");
				World small = new World(this.client, other, "small")) {
			IntStream.range(0, MANY).parallel().forEach((i) -> large.secret("many-" + i));
			ring(large);
			ring(small);
			// However slow the machine is, the large one is not done before the small
			// one.
			AtomicInteger patches = new AtomicInteger();
			api.requests.close((request) -> request.method().equals("PATCH")
					&& request.path().contains("/secrets/many-") && patches.incrementAndGet() > MANY / 2);
			api.start(large, SLOW);
			small.shard("of-few");
			small.awaitShards(1);
			large.shard("of-many");
			World.await().until(() -> large.count("assignments", "secrets") > 0);
			IntStream.range(0, FEW).forEach((i) -> small.secret("few-" + i));
			World.await()
				.untilAsserted(() -> assertThat(small.secretShards().values()).hasSize(FEW).containsOnly("of-few"));
			assertThat(large.secretShards().values()).containsNull();
			api.open();
			World.await()
				.atMost(Duration.ofMinutes(4))
				.pollInterval(Duration.ofMillis(500))
				.untilAsserted(() -> assertThat(large.secretShards().values()).hasSize(MANY).containsOnly("of-many"));
		}
	}

	private static void ring(World world) {
		world.withRing((spec) -> new ControllerRingSpec(List.of(new MainResource("", "secrets", List.of())),
				new LabelSelectorBuilder().addToMatchLabels("kubernetes.io/metadata.name", world.namespace).build()));
	}

}
