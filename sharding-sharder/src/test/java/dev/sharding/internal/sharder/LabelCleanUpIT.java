package dev.sharding.internal.sharder;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

import dev.sharding.internal.sharder.assignment.placement.DrainBudget;
import dev.sharding.internal.sharder.ring.ControllerRing;
import dev.sharding.internal.sharder.ring.ControllerRingSpec;
import dev.sharding.internal.sharder.ring.ControllerRingSpec.MainResource;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;
import io.fabric8.kubernetes.api.model.LabelSelectorBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Labels of a ring on objects that are not the ring's any more.
 */
@ControlPlaneTest
class LabelCleanUpIT {

	private final World world;

	private Sharder sharder;

	LabelCleanUpIT(KubernetesClient client, @TestNamespace String namespace) {
		this.world = new World(client, namespace, "cleanup");
	}

	@BeforeEach
	void assign() {
		this.sharder = this.world.withRing().start();
		this.world.shard("shard-a");
		this.world.configMap("c-1", this.world.secret("s-1", Map.of("mine", "kept")), this.world.assignedTo("shard-a"));
		awaitShards("shard-a", "shard-a");
	}

	@AfterEach
	void close() {
		this.world.close();
	}

	@Test
	void goWithTheirResource() {
		change((spec) -> new ControllerRingSpec(List.of(new MainResource("", "secrets", List.of())), null));
		awaitShards("shard-a", null);
	}

	@Test
	void goWithTheirResourceThoughTheRingChangesAgain() {
		MainResource secrets = new MainResource("", "secrets", List.of());
		change((spec) -> new ControllerRingSpec(List.of(secrets), null));
		awaitShards("shard-a", null);
		// The clean-up looks once more before it takes the resource off the account.
		change((spec) -> new ControllerRingSpec(
				List.of(secrets, new MainResource("nowhere.example.com", "things", List.of())), null));
		World.await()
			.untilAsserted(() -> assertThat(this.world.client.configMaps()
				.inNamespace("sharding-system")
				.withName("sharder-rings")
				.get()
				.getData()
				.get(this.world.ring)).contains("things").doesNotContain("configmaps"));
	}

	@Test
	void goWithWhatARingMadeAnewLeavesOut() {
		this.world.client.resource(this.world.ring()).delete();
		this.world
			.withRing((spec) -> new ControllerRingSpec(List.of(new MainResource("", "secrets", List.of())), null));
		awaitShards("shard-a", null);
	}

	@Test
	void goWithTheirNamespace() {
		change((spec) -> new ControllerRingSpec(spec.resources(),
				new LabelSelectorBuilder().addToMatchLabels("team", "a").build()));
		awaitShards(null, null);
	}

	@Test
	void goWithTheirRing() {
		this.world.client.resource(this.world.ring()).delete();
		awaitShards(null, null);
		assertThat(this.world.client.secrets()
			.inNamespace(this.world.namespace)
			.withName("s-1")
			.get()
			.getMetadata()
			.getLabels()).isEqualTo(Map.of("mine", "kept"));
	}

	@Test
	void areCounted() {
		this.world.client.resource(this.world.ring()).delete();
		World.await().untilAsserted(() -> {
			assertThat(this.world.count("cleanups", "secrets")).isEqualTo(1);
			assertThat(this.world.count("cleanups", "configmaps")).isEqualTo(1);
		});
	}

	@Test
	void goWithTheLabelsOfTheirNamespace() {
		label("a");
		change((spec) -> new ControllerRingSpec(spec.resources(),
				new LabelSelectorBuilder().addToMatchLabels("team", "a").build()));
		awaitShards("shard-a", "shard-a");
		label("b");
		awaitShards(null, null);
		label("a");
		awaitShards("shard-a", "shard-a");
		label(null);
	}

	@Test
	void staysOffWhatWaitedToBeDrainedWhenItsNamespaceLeft() {
		this.sharder.close();
		label("a");
		change((spec) -> new ControllerRingSpec(List.of(new MainResource("", "secrets", List.of())),
				new LabelSelectorBuilder().addToMatchLabels("team", "a").build()));
		for (int i = 0; i < 20; i++) {
			this.world.secret("w-" + i, this.world.assignedTo("shard-a"));
		}
		this.world.shard("shard-b");
		// The second one in ten seconds.
		this.world.start(this.world.client, World.AT_ONCE.withDrainBudget(new DrainBudget(0.1)));
		World.await().until(() -> this.world.secretShards().keySet().stream().anyMatch(this.world::isDraining));
		label("b");
		World.await().untilAsserted(() -> assertThat(this.world.secretShards().values()).containsOnlyNulls());
		World.await()
			.during(Duration.ofSeconds(15))
			.untilAsserted(() -> assertThat(this.world.secretShards().values()).containsOnlyNulls());
		label(null);
	}

	@Test
	void goWithAResourceThatLeftWhileNoSharderRan() {
		this.sharder.close();
		change((spec) -> new ControllerRingSpec(List.of(new MainResource("", "secrets", List.of())), null));
		this.world.start();
		awaitShards("shard-a", null);
	}

	@Test
	void goWithARingThatWentWhileNoSharderRan() {
		this.sharder.close();
		this.world.client.resource(this.world.ring()).delete();
		this.world.start();
		awaitShards(null, null);
	}

	@Test
	void goWithANamespaceThatWasExcludedWhileNoSharderRan() {
		this.sharder.close();
		this.world.start(this.world.client, new SharderOptions(World.AT_ONCE.syncPeriod(),
				World.AT_ONCE.concurrentMoves(), Set.of(this.world.namespace)));
		awaitShards(null, null);
	}

	private void label(String team) {
		this.world.client.namespaces().withName(this.world.namespace).edit((namespace) -> {
			namespace.getMetadata().getLabels().put("team", team);
			return namespace;
		});
	}

	private void change(UnaryOperator<ControllerRingSpec> change) {
		World
			.retrying(() -> this.world.client.resources(ControllerRing.class).withName(this.world.ring).edit((ring) -> {
				ring.setSpec(change.apply(ring.getSpec()));
				return ring;
			}));
	}

	private void awaitShards(String secret, String configMap) {
		World.await().untilAsserted(() -> {
			assertThat(this.world.secretShard("s-1")).isEqualTo(secret);
			assertThat(this.world.configMapShard("c-1")).isEqualTo(configMap);
		});
	}

}
