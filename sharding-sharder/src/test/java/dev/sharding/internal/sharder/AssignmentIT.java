package dev.sharding.internal.sharder;

import java.time.Duration;
import java.util.Map;

import dev.sharding.protocol.ShardingLabels;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The sharder with hand-made shards on a real API server (protocol section 9.8).
 */
@ControlPlaneTest
class AssignmentIT {

	private final World world;

	AssignmentIT(KubernetesClient client, @TestNamespace String namespace) {
		this.world = new World(client, namespace, "assignment");
	}

	@BeforeEach
	void start() {
		this.world.withRing().impatient().start();
	}

	@AfterEach
	void close() {
		this.world.close();
	}

	@Test
	@DisplayName("Scenario 106: first shard appears, main and controlled objects without owner are assigned")
	void assignsWhenTheFirstShardAppears() {
		Secret secret = this.world.secret("s-1");
		this.world.configMap("c-1", secret, Map.of());
		this.world.shard("shard-a");
		World.await().untilAsserted(() -> {
			assertThat(this.world.secretShard("s-1")).isEqualTo("shard-a");
			assertThat(this.world.configMapShard("c-1")).isEqualTo("shard-a");
		});
	}

	@Test
	@DisplayName("Scenario 107: objects on a dead shard are moved")
	void movesFromADeadShard() {
		Secret secret = this.world.secret("s-1", this.world.assignedTo("shard-dead"));
		this.world.configMap("c-1", secret, this.world.assignedTo("shard-dead"));
		this.world.shard("shard-dead", 1);
		this.world.lasting("shard-a", 2);
		World.await().untilAsserted(() -> {
			assertThat(this.world.secretShard("s-1")).isEqualTo("shard-a");
			assertThat(this.world.configMapShard("c-1")).isEqualTo("shard-a");
		});
	}

	@Test
	@DisplayName("Scenario 109, 118: controlled objects without controller stay untouched")
	void leavesControlledObjectsWithoutController() {
		this.world.configMap("c-1", null, Map.of());
		Secret secret = this.world.secret("s-1");
		this.world.configMap("c-2", secret, Map.of());
		this.world.shard("shard-a");
		World.await().untilAsserted(() -> assertThat(this.world.configMapShard("c-2")).isEqualTo("shard-a"));
		assertThat(this.world.configMapShard("c-1")).isNull();
	}

	@Test
	@DisplayName("Scenario 110: assigned shard becomes unavailable, main and controlled objects move at once")
	void movesWhenTheShardBecomesUnavailable() {
		this.world.shard("shard-a");
		this.world.shard("shard-b");
		this.world.awaitShards(2);
		String name = this.world.secretOf("shard-b", "shard-a", "shard-b");
		Secret secret = this.world.secret(name);
		World.await().untilAsserted(() -> assertThat(this.world.secretShard(name)).isEqualTo("shard-b"));
		this.world.configMap("c-1", secret, this.world.assignedTo("shard-b"));
		this.world.release("shard-b");
		World.await().untilAsserted(() -> {
			assertThat(this.world.secretShard(name)).isEqualTo("shard-a");
			assertThat(this.world.configMapShard("c-1")).isEqualTo("shard-a");
		});
		// It is counted when the answer to the patch has come.
		World.await().until(() -> this.world.count("movements", "secrets") == 1);
		assertThat(this.world.count("drains", "secrets")).isZero();
	}

	@Test
	@DisplayName("Scenario 111: another shard becomes available, the main object is drained and its controlled object waits for the acknowledgement")
	void drainsAndHandsOverInOrder() {
		this.world.shard("shard-a");
		String name = this.world.secretOf("shard-b", "shard-a", "shard-b");
		Secret secret = this.world.secret(name);
		World.await().untilAsserted(() -> assertThat(this.world.secretShard(name)).isEqualTo("shard-a"));
		this.world.configMap("c-1", secret, this.world.assignedTo("shard-a"));
		this.world.shard("shard-b");
		World.await().untilAsserted(() -> assertThat(this.world.isDraining(name)).isTrue());
		World.await().during(Duration.ofSeconds(2)).untilAsserted(() -> {
			assertThat(this.world.secretShard(name)).isEqualTo("shard-a");
			assertThat(this.world.configMapShard("c-1")).isEqualTo("shard-a");
		});
		this.world.removeLabels(name);
		World.await().untilAsserted(() -> {
			assertThat(this.world.secretShard(name)).isEqualTo("shard-b");
			assertThat(this.world.configMapShard("c-1")).isEqualTo("shard-b");
			assertThat(this.world.isDraining(name)).isFalse();
		});
		this.world.assertLabelledBefore("c-1", name);
	}

	@Test
	@DisplayName("Scenario 112, 130 in watch mode: a new main object is assigned within a second when all is well")
	void assignsNewObjects() {
		this.world.shard("shard-a");
		this.world.awaitShards(1);
		this.world.secret("first");
		World.await().untilAsserted(() -> assertThat(this.world.secretShard("first")).isEqualTo("shard-a"));
		Promptness.assertWithinASecond(this.world.client, this.world.namespace,
				(attempt) -> this.world.secret("s-" + attempt),
				(attempt) -> "shard-a".equals(this.world.secretShard("s-" + attempt)));
		assertThat(this.world.isDraining("s-1")).isFalse();
	}

	@Test
	@DisplayName("Scenario 115: an update keeps the shard, a removed label brings the shard that the ring names")
	void reassignsWhenTheLabelIsRemoved() {
		this.world.shard("shard-a");
		this.world.shard("shard-b");
		this.world.awaitShards(2);
		String name = this.world.secretOf("shard-b", "shard-a", "shard-b");
		this.world.secret(name);
		World.await().untilAsserted(() -> assertThat(this.world.secretShard(name)).isEqualTo("shard-b"));
		this.world.client.secrets().inNamespace(this.world.namespace).withName(name).edit((found) -> {
			found.getMetadata().setAnnotations(Map.of("touched", "yes"));
			return found;
		});
		assertThat(this.world.secretShard(name)).isEqualTo("shard-b");
		this.world.removeLabels(name);
		World.await().untilAsserted(() -> assertThat(this.world.secretShard(name)).isEqualTo("shard-b"));
	}

	@Test
	@DisplayName("Objects in excluded namespaces stay untouched")
	void leavesExcludedNamespaces() {
		this.world.client
			.resource(new SecretBuilder().withNewMetadata()
				.withNamespace("kube-system")
				.withName("system-secret")
				.endMetadata()
				.build())
			.createOr((existing) -> existing.update());
		this.world.secret("s-1");
		this.world.shard("shard-a");
		World.await().untilAsserted(() -> assertThat(this.world.secretShard("s-1")).isEqualTo("shard-a"));
		assertThat(this.world
			.shardOf(this.world.client.secrets().inNamespace("kube-system").withName("system-secret").get())).isNull();
		this.world.client.secrets().inNamespace("kube-system").withName("system-secret").delete();
	}

	@Test
	@DisplayName("A shard that dies in the middle of a drain gives up the object without a word")
	void movesWhenTheShardDiesMidDrain() {
		this.world.lasting("shard-a", 2);
		String name = this.world.secretOf("shard-b", "shard-a", "shard-b");
		this.world.secret(name);
		World.await().untilAsserted(() -> assertThat(this.world.secretShard(name)).isEqualTo("shard-a"));
		this.world.shard("shard-b");
		World.await().untilAsserted(() -> assertThat(this.world.isDraining(name)).isTrue());
		// For the last time.
		this.world.renew("shard-a");
		World.await().untilAsserted(() -> {
			assertThat(this.world.secretShard(name)).isEqualTo("shard-b");
			assertThat(this.world.isDraining(name)).isFalse();
		});
	}

	@Test
	@DisplayName("Labels of other rings and of the user are left alone")
	void keepsOtherLabels() {
		String other = ShardingLabels.shard("another-ring");
		this.world.secret("s-1", Map.of("app", "shop", other, "shard-x"));
		this.world.shard("shard-a");
		World.await().untilAsserted(() -> assertThat(this.world.secretShard("s-1")).isEqualTo("shard-a"));
		assertThat(this.world.client.secrets()
			.inNamespace(this.world.namespace)
			.withName("s-1")
			.get()
			.getMetadata()
			.getLabels()).containsEntry("app", "shop").containsEntry(other, "shard-x");
	}

}
