package dev.sharding.internal.sharder;

import java.util.HashSet;
import java.util.Set;

import dev.sharding.internal.sharder.assignment.placement.DrainBudget;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A budget for drains that allows one while a test lasts.
 */
@ControlPlaneTest
class DrainBudgetIT {

	private static final SharderOptions SLOW = World.AT_ONCE.withDrainBudget(new DrainBudget(0.01));

	private static final int OBJECTS = 20;

	private final World world;

	DrainBudgetIT(KubernetesClient client, @TestNamespace String namespace) {
		this.world = new World(client, namespace, "budget");
	}

	@AfterEach
	void close() {
		this.world.close();
	}

	@Test
	@DisplayName("A rebalance keeps to the budget, and what no available shard owns moves at once, and counts for nothing")
	void slowsDrainsOnly() {
		this.world.withRing().start(this.world.client, SLOW);
		this.world.shard("shard-a");
		for (int i = 0; i < OBJECTS; i++) {
			this.world.secret("s-" + i);
		}
		awaitOwners(Set.of("shard-a"));
		this.world.shard("shard-b");
		World.await().untilAsserted(() -> assertThat(this.world.count("drains", "secrets")).isPositive());
		this.world.secret("new");
		World.await().untilAsserted(() -> assertThat(this.world.secretShard("new")).isNotNull());
		this.world.release("shard-a");
		awaitOwners(Set.of("shard-b"));
		assertThat(this.world.count("drains", "secrets")).isEqualTo(1);
	}

	private void awaitOwners(Set<String> owners) {
		World.await()
			.untilAsserted(() -> assertThat(new HashSet<>(this.world.secretShards().values())).isEqualTo(owners));
	}

}
