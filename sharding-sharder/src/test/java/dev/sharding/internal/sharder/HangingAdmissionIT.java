package dev.sharding.internal.sharder;

import java.math.BigInteger;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import dev.sharding.internal.kubernetes.rest.http.RequestGuard;
import dev.sharding.internal.sharder.assignment.metadata.HandOverOrder;
import dev.sharding.internal.sharder.ring.ControllerRing;
import dev.sharding.internal.sharder.ring.ControllerRingSpec;
import dev.sharding.internal.sharder.ring.ControllerRingSpec.MainResource;
import dev.sharding.test.AnswerProxy;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.DenyingWebhook;
import dev.sharding.test.TestNamespace;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Controlled objects whose patches hang, as if a webhook did not answer: they hold up
 * their own main objects, and no others.
 */
@ControlPlaneTest
class HangingAdmissionIT {

	/*
	 * The whole proof takes 520, more than are under way at a time, and a resync
	 * meanwhile.
	 */
	private static final int HANGING = Integer.getInteger("proof.hanging", 20);

	private static final int OTHERS = 20;

	private final World world;

	private final Gate requests = new Gate();

	private final AnswerProxy proxy;

	private final KubernetesClient client;

	private final ExecutorService threads = Executors.newFixedThreadPool(12);

	HangingAdmissionIT(ControlPlane controlPlane, KubernetesClient client, @TestNamespace String namespace) {
		this.world = new World(client, namespace, "hanging");
		this.proxy = AnswerProxy.before(controlPlane.admin(), this.requests::pass, (request) -> null);
		this.client = new KubernetesClientBuilder().withConfig(this.proxy.config()).build();
		// The sharder keeps its account of rings there; whoever elects a leader makes it.
		client.resource(new NamespaceBuilder().withNewMetadata().withName("sharding-system").endMetadata().build())
			.serverSideApply();
	}

	@AfterEach
	void close() {
		this.requests.open();
		this.threads.shutdownNow();
		this.world.close();
		this.client.close();
		this.proxy.close();
	}

	@Test
	@DisplayName("The others get their owners, old ones and new ones; when it hangs no more, all have theirs")
	void holdsUpNoOthers() {
		this.world.withRing();
		// In the order of a list, those that hang come first.
		create("h-", HANGING);
		create("z-", OTHERS);
		this.requests.close((request) -> request.method().equals("PATCH") && request.path().contains("/configmaps/h-"));
		this.world.run(new Sharder(this.client, World.AT_ONCE, Surroundings.usual(), this.world.metrics,
				InstantSource.system(), System::nanoTime, RequestGuard.NONE, HandOverOrder.CONTROLLED_OBJECTS_FIRST));
		this.world.shard("shard-a");
		awaitPlaced("z-", OTHERS);
		this.world.secret("new");
		World.await().until(() -> "shard-a".equals(this.world.secretShard("new")));
		if (HANGING > 500) {
			long passes = passes();
			World.await().atMost(Duration.ofMinutes(4)).until(() -> passes() > passes);
		}
		assertThat(shards(this.world.configMapShards(), "h-")).hasSize(HANGING).containsOnly("null");
		World.await().until(() -> hanging() >= HANGING);

		this.requests.open();
		awaitPlaced("h-", HANGING);
	}

	@Test
	@DisplayName("Others that their shard lets go of at the same moment get their owners, though they control nothing that would prove what it had")
	void holdsUpNoOthersThatLeaveTheirShardWithIt() {
		this.world.withRing();
		List<String> leaving = IntStream.range(0, 100)
			.mapToObj((i) -> "o-" + i)
			.filter((name) -> this.world.owner(name, "shard-a", "shard-b").equals("shard-b"))
			.limit(OTHERS)
			.toList();
		this.world.shard("shard-a");
		leaving.forEach((name) -> this.world.secret(name, this.world.assignedTo("shard-a")));
		String hanging = leaving.get(0);
		this.world.configMap("h-0",
				this.world.client.secrets().inNamespace(this.world.namespace).withName(hanging).get(),
				this.world.assignedTo("shard-a"));
		this.requests.close((request) -> request.method().equals("PATCH") && request.path().contains("/configmaps/h-"));
		this.world.run(new Sharder(this.client, World.AT_ONCE, Surroundings.usual(), this.world.metrics,
				InstantSource.system(), System::nanoTime, RequestGuard.NONE, HandOverOrder.CONTROLLED_OBJECTS_FIRST));
		this.world.shard("shard-b");
		World.await().until(() -> leaving.stream().allMatch(this.world::isDraining));
		World.awaitAll(
				leaving.stream().map((name) -> this.threads.submit(() -> this.world.removeLabels(name))).toList());
		World.await()
			.untilAsserted(() -> assertThat(leaving).filteredOn((name) -> this.world.secretShard(name) == null)
				.containsExactly(hanging));

		this.requests.open();
		World.await().until(() -> "shard-b".equals(this.world.secretShard(hanging)));
	}

	/* The first pass waits for a minute for the list to end. */
	@Test
	@Tag("long")
	@DisplayName("An object that was denied its owner is asked about again while another resource is still being listed")
	void asksAgainWhileAnotherResourceIsListed() {
		Set<String> denied = ConcurrentHashMap.newKeySet();
		denied.add("denied");
		World.awaitAll(IntStream.range(0, 501)
			.mapToObj((i) -> this.threads.submit(() -> this.world.configMap("c-" + i, null, Map.of())))
			.toList());
		this.world.secret("denied");
		this.world.withRing((spec) -> secretsWith(new MainResource("", "configmaps", List.of())));
		// The second page of those without an owner; a resync lists all of them.
		this.requests.close((request) -> request.path().endsWith("/configmaps") && request.query().contains("continue=")
				&& request.query().contains("labelSelector="));
		try (DenyingWebhook webhook = DenyingWebhook.in(this.world.client, this.world.namespace,
				(name) -> denied.contains(name) ? "{\"code\":403,\"message\":\"not now\"}" : null)) {
			this.world.run(new Sharder(this.client, World.AT_ONCE, Surroundings.usual(), this.world.metrics,
					InstantSource.system(), System::nanoTime, RequestGuard.NONE,
					HandOverOrder.CONTROLLED_OBJECTS_FIRST));
			this.world.shard("shard-a");
			this.requests.awaitHeld();
			World.await().until(() -> passes() > 0 && webhook.questions("denied").size() >= 5);
			denied.clear();
			World.await().until(() -> "shard-a".equals(this.world.secretShard("denied")));
		}
	}

	@Test
	@DisplayName("A shard does not get its Lease back while a move from it is on its way, though its ring is edited meanwhile")
	void keepsTheLeaseUntilTheMoveHasEnded() {
		this.world.withRing((spec) -> secretsWith());
		this.world.shard("shard-a");
		this.world.shard("shard-b");
		String name = this.world.secretOf("shard-b", "shard-a", "shard-b");
		this.world.secret(name, this.world.assignedTo("shard-b"));
		this.world.run(new Sharder(this.client, World.AT_ONCE, Surroundings.usual(), this.world.metrics,
				InstantSource.system(), System::nanoTime, RequestGuard.NONE, HandOverOrder.CONTROLLED_OBJECTS_FIRST));
		World.await().untilAsserted(() -> assertThat(this.world.status().availableShards()).isEqualTo(2));
		this.requests.close((request) -> request.method().equals("PATCH") && request.path().contains("/secrets/"));
		this.world.release("shard-b");
		this.requests.awaitHeld();
		try (LeaseHistory history = new LeaseHistory(this.world, "shard-b")) {
			ControllerRing edited = edit(secretsWith(new MainResource("", "services", List.of())));
			World.await()
				.until(() -> edited.getMetadata().getGeneration().equals(this.world.status().observedGeneration()));
			this.requests.open();
			World.await().until(() -> "shard-a".equals(this.world.secretShard(name)));
			World.await().until(() -> history.versions().stream().anyMatch(LeaseHistory::isFree));
			Lease free = history.versions().stream().filter(LeaseHistory::isFree).findFirst().orElseThrow();
			assertThat(version(free)).isGreaterThan(
					version(this.world.client.secrets().inNamespace(this.world.namespace).withName(name).get()));
		}
	}

	private ControllerRing edit(ControllerRingSpec spec) {
		AtomicReference<ControllerRing> edited = new AtomicReference<>();
		World.retrying(() -> edited
			.set(this.world.client.resources(ControllerRing.class).withName(this.world.ring).edit((ring) -> {
				ring.setSpec(spec);
				return ring;
			})));
		return edited.get();
	}

	private static BigInteger version(HasMetadata object) {
		return new BigInteger(object.getMetadata().getResourceVersion());
	}

	private static ControllerRingSpec secretsWith(MainResource... others) {
		List<MainResource> resources = new ArrayList<>(List.of(new MainResource("", "secrets", List.of())));
		resources.addAll(List.of(others));
		return new ControllerRingSpec(resources, null);
	}

	private double hanging() {
		return this.world.metrics.get("controller.sharding.backlog").tag("kind", "hanging").gauge().value();
	}

	private long passes() {
		return this.world.metrics.find("controller.sharding.resync")
			.timers()
			.stream()
			.mapToLong((pass) -> pass.count())
			.sum();
	}

	private void awaitPlaced(String prefix, int count) {
		World.await().atMost(Duration.ofMinutes(4)).untilAsserted(() -> {
			assertThat(shards(this.world.configMapShards(), prefix)).hasSize(count).containsOnly("shard-a");
			assertThat(shards(this.world.secretShards(), prefix)).hasSize(count).containsOnly("shard-a");
		});
	}

	private static List<String> shards(Map<String, String> shards, String prefix) {
		return shards.entrySet()
			.stream()
			.filter((entry) -> entry.getKey().startsWith(prefix))
			.map((entry) -> String.valueOf(entry.getValue()))
			.collect(Collectors.toList());
	}

	private void create(String prefix, int count) {
		World.awaitAll(IntStream.range(0, count).mapToObj((i) -> this.threads.submit(() -> {
			Secret secret = this.world.secret(prefix + i);
			this.world.configMap(prefix + i, secret, Map.of());
		})).toList());
	}

}
