package dev.sharding.internal.sharder;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;

import dev.sharding.internal.sharder.ring.ControllerRing;
import dev.sharding.internal.sharder.ring.ControllerRingSpec;
import dev.sharding.internal.sharder.ring.ControllerRingSpec.MainResource;
import dev.sharding.test.Access;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneBuilder;
import dev.sharding.test.ControlPlaneExtension;
import dev.sharding.test.TestNamespace;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.PolicyRuleBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The sharder with many objects, few rights and a failing API server.
 */
class ManyMovesIT {

	@RegisterExtension
	static final ControlPlaneExtension controlPlaneExtension = ControlPlaneExtension
		.own((builder) -> builder.auditPolicy(ControlPlaneBuilder.AUDIT_EVERYTHING));

	private static final int SECRETS = 300;

	/* More than a page. The whole proof takes 3,000. */
	private static final int JOINED = Integer.getInteger("proof.moves", 600);

	private final ControlPlane controlPlane;

	private final World world;

	private final AtomicBoolean done = new AtomicBoolean();

	private final ExecutorService threads = Executors.newFixedThreadPool(12);

	ManyMovesIT(ControlPlane controlPlane, KubernetesClient client, @TestNamespace String namespace) {
		this.controlPlane = controlPlane;
		this.world = new World(client, namespace, "many");
	}

	@AfterEach
	void close() {
		this.done.set(true);
		this.threads.shutdownNow();
		this.world.close();
	}

	@Test
	@DisplayName("Scenario 110 with 300 + 300 objects: one patch for each that moves, a constant number of lists, no secret on the wire")
	void movesADeadShardWithOnePatchEach() {
		Access user = user("sharder-moves", "secrets", "configmaps");
		this.world.withRing().start(user.client(), World.AT_ONCE);
		this.world.shard("shard-a");
		this.world.lasting("shard-b", 4);
		this.world.shard("shard-c");
		this.world.awaitShards(3);
		// A pass that is still to come would list once more.
		this.world.awaitPasses(1);
		createPairs(SECRETS, "shard-a", "shard-b", "shard-c");
		awaitPlaced("shard-a", "shard-b", "shard-c");
		long moving = this.world.secretShards().values().stream().filter("shard-b"::equals).count();
		Audit audit = new Audit(this.controlPlane.apiServer().auditLog(), user.user());
		int before = audit.lines(0).size();

		// For the last time.
		this.world.renew("shard-b");
		awaitPlaced("shard-a", "shard-c");

		assertThat(moving).isPositive();
		// A line follows its answer.
		World.await().until(() -> audit.count(before, "patch", "secrets") >= moving);
		assertThat(audit.count(before, "patch", "secrets")).isEqualTo(moving);
		assertThat(audit.count(before, "patch", "configmaps")).isEqualTo(moving);
		assertThat(audit.count(before, "get", "secrets")).isZero();
		// What the shard had, what has no owner when the next watch opens, and a resync.
		assertThat(audit.count(before, "list", "secrets")).isLessThanOrEqualTo(3);
		assertThat(audit.count(before, "list", "configmaps")).isLessThanOrEqualTo(2);
		String data = Base64.getEncoder().encodeToString("s3cr3t-s-1".getBytes(StandardCharsets.UTF_8));
		assertThat(audit.lines(0)).isNotEmpty().noneMatch((line) -> line.contains(data));
	}

	@Test
	@DisplayName("Scenario 132, 133 with hand-made shards that acknowledge: one more shard, then one less, then two changes in a row")
	void followsMembership() {
		this.world.withRing().start();
		this.world.shard("shard-a");
		this.world.shard("shard-b");
		this.world.awaitShards(2);
		createPairs(SECRETS, "shard-a", "shard-b");
		awaitPlaced("shard-a", "shard-b");
		this.world.acknowledgeDrains();
		this.world.shard("shard-c");
		awaitPlaced("shard-a", "shard-b", "shard-c");
		assertThat(this.world.secretShards().values()).contains("shard-a", "shard-b", "shard-c");
		this.world.release("shard-a");
		awaitPlaced("shard-b", "shard-c");
		this.world.shard("shard-d");
		this.world.release("shard-b");
		this.world.shard("shard-e");
		awaitPlaced("shard-c", "shard-d", "shard-e");
	}

	@Test
	@DisplayName("Objects created while the sharder is down are assigned when it is up, and drains that were acknowledged meanwhile")
	void catchesUpAfterItWasDown() {
		Sharder first = this.world.withRing().start();
		this.world.shard("shard-a");
		String name = this.world.secretOf("shard-b", "shard-a", "shard-b");
		Secret secret = this.world.secret(name);
		World.await().untilAsserted(() -> assertThat(this.world.secretShard(name)).isEqualTo("shard-a"));
		this.world.configMap("c-1", secret, this.world.assignedTo("shard-a"));
		this.world.shard("shard-b");
		World.await().untilAsserted(() -> assertThat(this.world.isDraining(name)).isTrue());
		first.close();
		this.world.removeLabels(name);
		this.world.secret("created-meanwhile");
		this.world.start();
		World.await().untilAsserted(() -> {
			assertThat(this.world.secretShard(name)).isEqualTo("shard-b");
			assertThat(this.world.configMapShard("c-1")).isEqualTo("shard-b");
			assertThat(this.world.secretShard("created-meanwhile"))
				.isEqualTo(this.world.owner("created-meanwhile", "shard-a", "shard-b"));
		});
	}

	@Test
	void servesTheRestWhenOneResourceIsForbidden() {
		Access user = user("sharder-forbidden", "secrets");
		this.world.withRing().start(user.client(), World.AT_ONCE);
		this.world.shard("shard-a");
		this.world.secret("s-1");
		World.await().untilAsserted(() -> {
			assertThat(this.world.secretShard("s-1")).isEqualTo("shard-a");
			assertThat(this.world.status().conditions())
				.anyMatch((condition) -> "ResourcesAccessible".equals(condition.getType())
						&& "False".equals(condition.getStatus()) && condition.getMessage().contains("configmaps"));
		});
		World
			.retrying(() -> this.world.client.resources(ControllerRing.class).withName(this.world.ring).edit((ring) -> {
				ring.setSpec(new ControllerRingSpec(List.of(new MainResource("", "secrets", List.of())), null));
				return ring;
			}));
		World.await()
			.untilAsserted(() -> assertThat(this.world.status().conditions())
				.anyMatch((condition) -> "ResourcesAccessible".equals(condition.getType())
						&& "True".equals(condition.getStatus()))
				.anyMatch((condition) -> "Ready".equals(condition.getType()) && "True".equals(condition.getStatus())));
	}

	@Test
	void winsAgainstAStormOfConflicts() {
		this.world.withRing().start();
		this.world.shard("shard-a");
		createPairs(50, "shard-a");
		awaitPlaced("shard-a");
		for (int writer = 0; writer < 4; writer++) {
			this.threads.execute(this::annotateForEver);
		}
		this.world.shard("shard-b");
		this.world.release("shard-a");
		awaitPlaced("shard-b");
		World.await().until(() -> this.world.count("conflicts", "secrets") > 0);
		this.done.set(true);
	}

	@Test
	void finishesAResyncAfterTheApiServerWasRestarted() {
		this.world.withRing();
		this.world.shard("shard-a");
		this.world.shard("shard-b");
		this.world.shard("shard-c");
		createPairs(2 * SECRETS, "shard-a", "shard-b", "shard-c");
		this.world.start();
		awaitPlaced("shard-a", "shard-b", "shard-c");
		this.world.release("shard-c");
		World.await().until(() -> this.world.count("movements", "configmaps") > 20);
		this.controlPlane.apiServer().process().restart();
		awaitPlaced("shard-a", "shard-b");
	}

	@Test
	@DisplayName("The sharder ends and another one begins in the middle of a rebalance, then the API server is restarted")
	void finishesARebalanceByDrainsThroughAFailOverAndARestartOfTheApiServer() {
		Sharder first = this.world.withRing().start();
		this.world.shard("shard-a");
		createPairs(2 * SECRETS, "shard-a");
		awaitPlaced("shard-a");
		this.world.acknowledgeDrains();
		this.world.shard("shard-b");
		World.await().until(() -> this.world.count("drains", "secrets") > 20);
		first.close();
		double before = this.world.count("drains", "secrets");
		this.world.start();
		World.await().until(() -> this.world.count("drains", "secrets") > before);
		this.controlPlane.apiServer().process().restart();
		awaitPlaced("shard-a", "shard-b");
	}

	@Test
	@DisplayName("Lists of a join: one of each resource, in pages, however many objects change hands")
	void joinsWithFewLists() {
		Access user = user("sharder-joins", "secrets", "configmaps");
		this.world.withRing().start(user.client(), World.AT_ONCE);
		this.world.shard("shard-a");
		// A pass that is still to come would list once more.
		this.world.awaitPasses(1);
		createPairs(JOINED, "shard-a");
		awaitPlaced("shard-a");
		this.world.acknowledgeDrains();
		Audit audit = new Audit(this.controlPlane.apiServer().auditLog(), user.user());
		int before = audit.lines(0).size();
		this.world.shard("shard-b");
		awaitPlaced("shard-a", "shard-b");
		long moved = this.world.secretShards().values().stream().filter("shard-b"::equals).count();
		int pages = JOINED / 500 + 1;
		assertThat(moved).isGreaterThan(JOINED / 4);
		assertThat(audit.count(before, "list", "secrets")).isLessThanOrEqualTo(pages + 1);
		// A batch whose watch tells of nothing for a second lists once more: a busy
		// machine.
		assertThat(audit.count(before, "list", "configmaps")).isLessThanOrEqualTo(3 * pages);
	}

	@Test
	@DisplayName("Cluster-scoped objects are assigned and moved")
	void servesClusterScopedResources() {
		this.world
			.withRing((spec) -> new ControllerRingSpec(List.of(new MainResource("", "namespaces", List.of())), null))
			.start();
		this.world.shard("shard-a");
		this.world.shard("shard-b");
		World.await().untilAsserted(() -> assertThat(namespaceShard()).isIn("shard-a", "shard-b"));
		String owner = namespaceShard();
		this.world.release(owner);
		World.await()
			.untilAsserted(
					() -> assertThat(namespaceShard()).isEqualTo(owner.equals("shard-a") ? "shard-b" : "shard-a"));
	}

	private String namespaceShard() {
		return this.world.shardOf(this.world.client.namespaces().withName(this.world.namespace).get());
	}

	private void createPairs(int count, String... shards) {
		World.awaitAll(IntStream.range(0, count).mapToObj((i) -> this.threads.submit(() -> {
			String name = "s-" + i;
			Secret secret = this.world.secret(name);
			this.world.configMap(name, secret, this.world.assignedTo(this.world.owner(name, shards)));
		})).toList());
	}

	private void awaitPlaced(String... shards) {
		World.await().atMost(Duration.ofMinutes(4)).pollInterval(Duration.ofMillis(500)).untilAsserted(() -> {
			Map<String, String> placed = this.world.secretShards();
			assertThat(placed).isEqualTo(this.world.expected(placed, shards));
			Map<String, String> controlled = new HashMap<>(this.world.configMapShards());
			controlled.remove("kube-root-ca.crt");
			assertThat(controlled).isEqualTo(this.world.expected(controlled, shards));
		});
	}

	private void annotateForEver() {
		for (int i = 0; !this.done.get(); i++) {
			String name = "s-" + (i % 50);
			String value = String.valueOf(i);
			try {
				this.world.client.secrets().inNamespace(this.world.namespace).withName(name).edit((secret) -> {
					secret.getMetadata().setAnnotations(Map.of("counter", value));
					return secret;
				});
			}
			catch (KubernetesClientException ex) {
				// A conflict of our own.
			}
		}
	}

	private Access user(String name, String... resources) {
		return this.controlPlane.user(name, rule("", "get list watch patch", resources),
				rule("coordination.k8s.io", "get list watch update patch delete", "leases"),
				rule("sharding.timebertt.dev", "get list watch", "controllerrings"),
				rule("sharding.timebertt.dev", "update patch", "controllerrings/status"));
	}

	private static PolicyRule rule(String group, String verbs, String... resources) {
		return new PolicyRuleBuilder().addToApiGroups(group)
			.addToResources(resources)
			.addToVerbs(verbs.split(" "))
			.build();
	}

}
