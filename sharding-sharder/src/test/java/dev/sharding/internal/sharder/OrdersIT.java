package dev.sharding.internal.sharder;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

import dev.sharding.internal.sharder.ring.ControllerRing;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.Gauge;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What people ask for by annotations: a shard that is to have nothing, and a ring in
 * which nothing is to move.
 */
@ControlPlaneTest
class OrdersIT {

	private static final int SECRETS = 45;

	private final World world;

	OrdersIT(KubernetesClient client, @TestNamespace String namespace) {
		this.world = new World(client, namespace, "orders");
	}

	@BeforeEach
	void create() {
		this.world.withRing();
		for (int i = 0; i < SECRETS; i++) {
			Secret secret = this.world.secret("s-" + i);
			this.world.configMap("s-" + i, secret, Map.of());
		}
	}

	@AfterEach
	void close() {
		this.world.close();
	}

	@Test
	@DisplayName("A cordoned shard is drained and gets nothing, until it is uncordoned; the ring says so")
	void drainsACordonedShard() {
		shards("shard-a", "shard-b", "shard-c");
		this.world.start();
		awaitOwners("shard-a", "shard-b", "shard-c");
		cordon("shard-b", "true");
		awaitOwners("shard-a", "shard-c");
		String its = this.world.firstOf("new-", "shard-b", "shard-a", "shard-b", "shard-c");
		this.world.secret(its);
		World.await()
			.untilAsserted(() -> assertThat(this.world.secretShard(its))
				.isEqualTo(this.world.owner(its, "shard-a", "shard-c")));
		World.await().untilAsserted(() -> {
			assertThat(condition("ShardsUncordoned").getMessage()).startsWith("Shards shard-b get no objects");
			assertThat(this.world.status().availableShards()).isEqualTo(3);
			Gauge cordoned = this.world.metrics.find("controller.sharding.shard.cordoned")
				.tag("shard", "shard-b")
				.tag("controllerring", this.world.ring)
				.gauge();
			assertThat(cordoned).isNotNull();
			assertThat(cordoned.value()).isEqualTo(1);
		});
		cordon("shard-b", "false");
		awaitOwners("shard-a", "shard-b", "shard-c");
		World.await().untilAsserted(() -> assertThat(condition("ShardsUncordoned").getStatus()).isEqualTo("True"));
	}

	@Test
	@DisplayName("C2 where all available shards are cordoned, objects get an owner all the same")
	void assignsAlthoughAllAreCordoned() {
		shards("shard-a", "shard-b");
		cordon("shard-a", "");
		cordon("shard-b", "");
		this.world.start();
		awaitOwners("shard-a", "shard-b");
		World.await()
			.untilAsserted(() -> assertThat(condition("ShardsUncordoned").getReason()).isEqualTo("AllCordoned"));
		this.world.shard("shard-c");
		awaitOwners("shard-c");
	}

	@Test
	@DisplayName("C2 in a paused ring nobody is asked to let go, and what has no owner gets one, also when a shard dies")
	void movesNothingThatIsOwnedWhilePaused() {
		shards("shard-a", "shard-b");
		this.world.start();
		awaitOwners("shard-a", "shard-b");
		pause("true");
		World.await().untilAsserted(() -> assertThat(condition("MovesAllowed").getStatus()).isEqualTo("False"));
		Map<String, String> before = this.world.secretShards();
		this.world.shard("shard-c");
		World.await().until(() -> this.world.status().availableShards() == 3);
		String fresh = this.world.firstOf("new-", "shard-c", "shard-a", "shard-b", "shard-c");
		this.world.secret(fresh);
		World.await()
			.untilAsserted(() -> assertThat(this.world.secretShard(fresh))
				.isEqualTo(this.world.owner(fresh, "shard-a", "shard-b", "shard-c")));
		String orphan = this.world.secretOf("shard-c", "shard-a", "shard-b", "shard-c");
		this.world.removeLabels(orphan);
		World.await().untilAsserted(() -> assertThat(this.world.secretShard(orphan)).isEqualTo("shard-c"));
		before.put(orphan, "shard-c");
		before.put(fresh, this.world.owner(fresh, "shard-a", "shard-b", "shard-c"));
		World.await().during(Duration.ofSeconds(3)).untilAsserted(() -> {
			assertThat(this.world.secretShards()).isEqualTo(before);
			assertThat(draining()).isEmpty();
		});
		this.world.release("shard-b");
		before.replaceAll(
				(name, shard) -> shard.equals("shard-b") ? this.world.owner(name, "shard-a", "shard-c") : shard);
		World.await().untilAsserted(() -> {
			assertThat(this.world.secretShards()).isEqualTo(before);
			Map<String, String> controlled = this.world.configMapShards();
			controlled.keySet().removeIf((name) -> name.equals(orphan) || name.equals("kube-root-ca.crt"));
			Map<String, String> mains = new TreeMap<>(before);
			mains.keySet().retainAll(controlled.keySet());
			assertThat(controlled).isEqualTo(mains);
		});
		assertThat(draining()).isEmpty();
		pause(null);
		awaitOwners("shard-a", "shard-c");
		World.await().untilAsserted(() -> assertThat(condition("MovesAllowed").getStatus()).isEqualTo("True"));
	}

	@Test
	@DisplayName("The webhook gives a cordoned shard nothing")
	void webhookAssignsNothingToACordonedShard() {
		try (Webhooks webhooks = new Webhooks(this.world)) {
			shards("shard-a", "shard-b");
			webhooks.startAndAwait();
			String name = this.world.firstOf("new-", "shard-b", "shard-a", "shard-b");
			assertThat(admitted(webhooks, name)).isEqualTo("shard-b");
			cordon("shard-b", "true");
			World.await().untilAsserted(() -> assertThat(admitted(webhooks, name)).isEqualTo("shard-a"));
			cordon("shard-b", null);
			World.await().untilAsserted(() -> assertThat(admitted(webhooks, name)).isEqualTo("shard-b"));
		}
	}

	private String admitted(Webhooks webhooks, String name) {
		return this.world.shardOf(this.world.client.resource(webhooks.unlabelled(name)).dryRun(true).create());
	}

	private void shards(String... names) {
		for (String name : names) {
			this.world.shard(name);
		}
	}

	/* Shards let go of whatever they are asked for. */
	private void awaitOwners(String... shards) {
		World.await().untilAsserted(() -> {
			draining().forEach(this.world::removeLabels);
			Map<String, String> owners = this.world.secretShards();
			assertThat(owners).isEqualTo(this.world.expected(owners, shards));
			Map<String, String> controlled = this.world.configMapShards();
			controlled.remove("kube-root-ca.crt");
			assertThat(controlled).isEqualTo(this.world.expected(controlled, shards));
			assertThat(draining()).isEmpty();
		});
	}

	private Iterable<String> draining() {
		return this.world.client.secrets()
			.inNamespace(this.world.namespace)
			.withLabel(ShardingLabels.drain(this.world.ring))
			.list()
			.getItems()
			.stream()
			.map((secret) -> secret.getMetadata().getName())
			.collect(Collectors.toSet());
	}

	private void cordon(String shard, String value) {
		this.world.editLease(shard, (lease) -> {
			lease.getMetadata().getAnnotations().remove(ShardingLabels.CORDONED);
			if (value != null) {
				lease.getMetadata().getAnnotations().put(ShardingLabels.CORDONED, value);
			}
			return lease;
		});
	}

	private void pause(String value) {
		Map<String, String> annotations = new TreeMap<>();
		if (value != null) {
			annotations.put(ShardingLabels.PAUSED, value);
		}
		World
			.retrying(() -> this.world.client.resources(ControllerRing.class).withName(this.world.ring).edit((ring) -> {
				ring.getMetadata().setAnnotations(annotations);
				return ring;
			}));
	}

	private Condition condition(String type) {
		return this.world.status()
			.conditions()
			.stream()
			.filter((condition) -> condition.getType().equals(type))
			.findFirst()
			.orElseGet(Condition::new);
	}

}
