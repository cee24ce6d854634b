package dev.sharding.internal.sharder;

import java.util.List;
import java.util.stream.IntStream;

import dev.sharding.internal.sharder.ring.ControllerRingSpec;
import dev.sharding.internal.sharder.ring.ControllerRingSpec.MainResource;
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

	private static final int MANY = 1_500;

	private static final int FEW = 10;

	/* So that the large one takes seconds, and no request waits behind many of its. */
	private static final SharderOptions SLOW = World.AT_ONCE.withConcurrentMoves(2);

	private final KubernetesClient client;

	private final String namespace;

	FairnessIT(KubernetesClient client, @TestNamespace String namespace) {
		this.client = client;
		this.namespace = namespace;
	}

	@Test
	@DisplayName("A ring with many objects does not delay one with ten")
	void servesASmallRingBesideALargeOne() {
		String other = this.namespace + "-small";
		this.client.resource(new NamespaceBuilder().withNewMetadata().withName(other).endMetadata().build()).create();
		try (World large = new World(this.client, this.namespace, "large");
				World small = new World(this.client, other, "small")) {
			IntStream.range(0, MANY).parallel().forEach((i) -> large.secret("many-" + i));
			ring(large);
			ring(small);
			large.start(this.client, SLOW);
			small.shard("of-few");
			World.await().untilAsserted(() -> assertThat(small.status().availableShards()).isEqualTo(1));
			large.shard("of-many");
			World.await().until(() -> large.count("assignments", "secrets") > 0);
			IntStream.range(0, FEW).forEach((i) -> small.secret("few-" + i));
			World.await()
				.untilAsserted(() -> assertThat(small.secretShards().values()).hasSize(FEW).containsOnly("of-few"));
			assertThat(large.count("assignments", "secrets")).isLessThan(MANY);
			World.await().until(() -> large.count("assignments", "secrets") == MANY);
		}
	}

	private static void ring(World world) {
		world.withRing((spec) -> new ControllerRingSpec(List.of(new MainResource("", "secrets", List.of())),
				new LabelSelectorBuilder().addToMatchLabels("kubernetes.io/metadata.name", world.namespace).build()));
	}

}
