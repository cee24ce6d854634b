package dev.sharding.internal.sharder;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;

import dev.sharding.protocol.ShardingLabels;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a shard has that was given back waits for its next holder; those that come
 * together make one change.
 */
@ControlPlaneTest
class SlotsIT {

	private static final Duration FOREVER = Duration.ofMinutes(5);

	private static final Duration A_WHILE = Duration.ofSeconds(4);

	private static final String A = "s-000";

	private static final String B = "s-001";

	private static final String C = "s-002";

	private static final int PAIRS = 12;

	private final World world;

	SlotsIT(KubernetesClient client, @TestNamespace String namespace) {
		this.world = new World(client, namespace, "slots").settle(SharderOptions.SETTLE);
		// The sharder keeps its account of rings there; whoever elects a leader makes it.
		client.resource(new NamespaceBuilder().withNewMetadata().withName("sharding-system").endMetadata().build())
			.serverSideApply();
	}

	@BeforeEach
	void create() {
		this.world.withRing();
	}

	@AfterEach
	void close() {
		this.world.close();
	}

	@Test
	@DisplayName("A slot that is given back and taken again within its grace moves nothing: not one object is written")
	void aTakeOverMovesNothing() {
		Slots slots = serve(FOREVER, A, B, C);
		Map<String, String> before = versions();
		slots.giveBack(B);
		World.await().untilAsserted(() -> assertThat(honoured().getMessage()).contains("waiting now: " + B));
		assertThat(this.world.status().availableShards()).isEqualTo(2);
		World.await().untilAsserted(() -> assertThat(this.world.state(B)).isEqualTo("dead"));
		String name = secretOf(B, "late");
		this.world.secret(name);
		World.await().untilAsserted(() -> assertThat(this.world.secretShard(name)).isEqualTo(B));
		slots.take(B, "second");
		World.await().untilAsserted(() -> assertThat(honoured().getMessage()).doesNotContain("waiting"));
		World.await().untilAsserted(() -> assertThat(this.world.status().availableShards()).isEqualTo(3));
		assertThat(slots.lease(B).settled()).isNotNull();
		World.await().during(Duration.ofSeconds(2)).untilAsserted(() -> assertThat(versions()).isEqualTo(before));
	}

	@Test
	@DisplayName("When its grace is over the sharder takes the Lease, moves the objects, tells so, and leaves the slot as a new one")
	void theEndOfTheGraceMovesAndVacates() {
		Slots slots = serve(Duration.ofSeconds(2), A, B, C);
		slots.giveBack(B);
		World.await().untilAsserted(() -> assertThat(this.world.secretShards()).isEqualTo(expected(A, C)));
		World.await().untilAsserted(() -> assertThat(this.world.configMapShards()).isEqualTo(expected(A, C)));
		World.await().untilAsserted(() -> {
			assertThat(slots.lease(B).record().isReleased()).isTrue();
			assertThat(slots.lease(B).record().leaseTransitions()).isPositive();
			assertThat(slots.lease(B).isGivenBack()).isFalse();
			assertThat(slots.lease(B).annotations()).doesNotContainKeys(ShardingLabels.GIVEN_BACK,
					ShardingLabels.SETTLED);
			assertThat(this.world.state(B)).isEqualTo("dead");
		});
		World.await()
			.untilAsserted(() -> assertThat(
					this.world.client.events().v1().events().inNamespace(this.world.namespace).list().getItems())
				.anySatisfy((event) -> {
					assertThat(event.getReason()).isEqualTo("GraceEnded");
					assertThat(event.getRegarding().getName()).isEqualTo(B);
				}));
	}

	@Test
	@DisplayName("Nobody else is there: nothing is taken, moved or deleted; when somebody comes, the others still have the grace to come as well")
	void whatCouldGoNowhereStays() {
		Slots slots = serve(A_WHILE, A, B);
		slots.giveBack(A);
		slots.giveBack(B);
		slots.backdate(A, Duration.ofHours(1));
		slots.backdate(B, Duration.ofHours(1));
		World.await().untilAsserted(() -> assertThat(this.world.status().availableShards()).isZero());
		Map<String, String> before = versions();
		World.await().during(Duration.ofSeconds(3)).untilAsserted(() -> {
			assertThat(versions()).isEqualTo(before);
			assertThat(slots.lease(A).isGivenBack()).isTrue();
			assertThat(slots.lease(B).isGivenBack()).isTrue();
		});
		Instant came = Instant.now();
		this.world.shard("z");
		World.await().untilAsserted(() -> {
			assertThat(this.world.secretShards()).isEqualTo(expected("z"));
			assertThat(this.world.configMapShards()).isEqualTo(expected("z"));
		});
		assertThat(slots.lease(A).isGivenBack()).isFalse();
		assertThat(Duration.between(came, Instant.now())).isGreaterThanOrEqualTo(A_WHILE);
	}

	@Test
	@DisplayName("A term that ends before it has served starts no new grace; one that has served does")
	void aCrashLoopStartsNoNewGrace() {
		Slots slots = serve(FOREVER, A, B, C);
		slots.acquiredLongAgo(A);
		slots.giveBack(B);
		slots.giveBack(C);
		slots.take(B, "second");
		slots.take(C, "second");
		slots.backdate(B, Duration.ofHours(1));
		slots.backdate(C, Duration.ofHours(1));
		slots.giveBack(C);
		slots.giveBackUnserved(B);
		World.await().untilAsserted(() -> {
			assertThat(this.world.secretShards()).isEqualTo(expected(A, C));
			assertThat(this.world.configMapShards()).isEqualTo(expected(A, C));
		});
		assertThat(slots.lease(C).isGivenBack()).isTrue();
	}

	@Test
	@DisplayName("A holder that is gone without a word has no grace; whoever takes its Lease after one duration takes its objects with it")
	void aRunOutHasNoGrace() {
		Slots slots = serve(FOREVER, A, B, C);
		Map<String, String> before = versions();
		runOut(B, 10, 11);
		World.await().untilAsserted(() -> assertThat(this.world.state(B)).isEqualTo("expired"));
		slots.take(B, "second");
		World.await().untilAsserted(() -> assertThat(this.world.state(B)).isEqualTo("ready"));
		World.await().during(Duration.ofSeconds(2)).untilAsserted(() -> assertThat(versions()).isEqualTo(before));
		runOut(B, 1, 0);
		World.await().untilAsserted(() -> {
			assertThat(this.world.secretShards()).isEqualTo(expected(A, C));
			assertThat(this.world.configMapShards()).isEqualTo(expected(A, C));
		});
	}

	@Test
	@DisplayName("Another sharder takes the lead in the middle of a grace: the grace goes on, and ends once")
	void aGraceOutlivesTheLeader() {
		// The first one has to end before the grace does.
		Duration grace = Duration.ofSeconds(15);
		Slots slots = new Slots(this.world, grace);
		Sharder first = begin(slots, A, B, C);
		Map<String, String> before = versions();
		Instant givenBack = Instant.now();
		slots.giveBack(B);
		World.await().untilAsserted(() -> assertThat(this.world.state(B)).isEqualTo("dead"));
		first.close();
		assertThat(versions()).isEqualTo(before);
		this.world.start();
		World.await().untilAsserted(() -> {
			assertThat(this.world.secretShards()).isEqualTo(expected(A, C));
			assertThat(this.world.configMapShards()).isEqualTo(expected(A, C));
		});
		assertThat(Duration.between(givenBack, Instant.now())).isGreaterThanOrEqualTo(grace);
	}

	@Test
	@DisplayName("What must leave a shard that was given back is not asked for before there is somebody to ask")
	void nobodyAsksWhoIsNotThere() {
		Slots slots = serve(FOREVER, A, B);
		slots.giveBack(A);
		World.await().untilAsserted(() -> assertThat(honoured().getMessage()).contains("waiting now: " + A));
		slots.create(C);
		World.await().untilAsserted(() -> assertThat(slots.lease(C).settled()).isNotNull());
		this.world.acknowledgeDrains();
		SortedMap<String, String> meanwhile = new TreeMap<>(expected(A, B, C));
		expected(A, B).forEach((name, shard) -> {
			if (shard.equals(A)) {
				meanwhile.put(name, A);
			}
		});
		World.await().untilAsserted(() -> assertThat(this.world.secretShards()).isEqualTo(meanwhile));
		assertThat(this.world.secretShards().keySet())
			.noneMatch((name) -> A.equals(expected(A, B).get(name)) && this.world.isDraining(name));
		slots.take(A, "second");
		World.await().untilAsserted(() -> {
			assertThat(this.world.secretShards()).isEqualTo(expected(A, B, C));
			assertThat(this.world.configMapShards()).isEqualTo(expected(A, B, C));
		});
	}

	@Test
	@DisplayName("Three that come within the settle time make one change: each object moves at most once")
	void arrivalsMakeOneChange() {
		Slots slots = new Slots(this.world, FOREVER);
		this.world.settle(Duration.ofSeconds(10));
		begin(slots, A);
		Map<String, String> before = this.world.secretShards();
		this.world.acknowledgeDrains();
		for (String slot : List.of(B, C, "s-003")) {
			slots.create(slot);
		}
		World.await().untilAsserted(() -> assertThat(this.world.status().availableShards()).isEqualTo(4));
		assertThat(honoured().getMessage()).contains("get their part soon: " + B);
		World.await().untilAsserted(() -> {
			assertThat(this.world.secretShards()).isEqualTo(expected(A, B, C, "s-003"));
			assertThat(this.world.configMapShards()).isEqualTo(expected(A, B, C, "s-003"));
		});
		long moved = this.world.secretShards()
			.entrySet()
			.stream()
			.filter((object) -> !object.getValue().equals(before.get(object.getKey())))
			.count();
		assertThat(moved).isPositive();
		assertThat(this.world.count("drains", "secrets")).isEqualTo(moved);
		World.await().untilAsserted(() -> {
			for (String slot : List.of(B, C, "s-003")) {
				assertThat(slots.lease(slot).settled()).isNotNull();
			}
		});
	}

	@Test
	@DisplayName("What bears the label of one that has just come stays with it, and a departure brings it in")
	void aDepartureEndsTheSettling() {
		Slots slots = new Slots(this.world, FOREVER);
		this.world.settle(Duration.ofMinutes(1));
		begin(slots, A, B);
		slots.create(C);
		World.await().untilAsserted(() -> assertThat(honoured().getMessage()).contains("get their part soon: " + C));
		String stays = secretOf(A, "stays");
		this.world.secret(stays, this.world.assignedTo(C));
		String other = secretOf(C, "other", A, B, C);
		this.world.secret(other);
		World.await().untilAsserted(() -> assertThat(this.world.secretShard(other)).isNotNull().isNotEqualTo(C));
		assertThat(this.world.secretShard(stays)).isEqualTo(C);
		this.world.acknowledgeDrains();
		this.world.release(B);
		this.world.editLease(B, (lease) -> lease);
		World.await().untilAsserted(() -> {
			assertThat(this.world.secretShards()).isEqualTo(this.world.expected(this.world.secretShards(), A, C));
			assertThat(this.world.configMapShards()).isEqualTo(expected(A, C));
		});
		assertThat(slots.lease(C).settled()).isNotNull();
	}

	@Test
	@DisplayName("A mark that somebody takes off is put on again, and nothing moves")
	void aMarkComesBack() {
		Slots slots = serve(FOREVER, A, B);
		Map<String, String> before = versions();
		this.world.editLease(B, (lease) -> {
			lease.getMetadata().getAnnotations().remove(ShardingLabels.SETTLED);
			return lease;
		});
		World.await().untilAsserted(() -> assertThat(slots.lease(B).settled()).isNotNull());
		assertThat(versions()).isEqualTo(before);
	}

	@Test
	@DisplayName("After an older sharder nothing is marked: all count at once, are marked, and nothing moves")
	void takesOverFromAnOlderSharder() {
		Slots slots = new Slots(this.world, FOREVER);
		for (String slot : List.of(A, B, C)) {
			slots.create(slot);
		}
		createPairs((name) -> this.world.assignedTo(this.world.owner(name, A, B, C)));
		Map<String, String> before = versions();
		slots.giveBack(B);
		this.world.start();
		World.await().untilAsserted(() -> {
			assertThat(honoured().getReason()).isEqualTo("WithoutElection");
			assertThat(List.of(A, B, C)).allSatisfy((slot) -> assertThat(slots.lease(slot).settled()).isNotNull());
		});
		slots.take(B, "second");
		World.await().untilAsserted(() -> assertThat(this.world.state(B)).isEqualTo("ready"));
		World.await().during(Duration.ofSeconds(2)).untilAsserted(() -> assertThat(versions()).isEqualTo(before));
	}

	private Slots serve(Duration grace, String... names) {
		Slots slots = new Slots(this.world, grace);
		begin(slots, names);
		return slots;
	}

	/* They are all there when the sharder comes, so none of them settles. */
	private Sharder begin(Slots slots, String... names) {
		for (String name : names) {
			slots.create(name);
		}
		createPairs((name) -> Map.of());
		Sharder sharder = this.world.start();
		World.await().untilAsserted(() -> {
			assertThat(this.world.secretShards()).isEqualTo(expected(names));
			assertThat(this.world.configMapShards()).isEqualTo(expected(names));
			assertThat(List.of(names)).allSatisfy((name) -> assertThat(slots.lease(name).settled()).isNotNull());
		});
		return sharder;
	}

	/* Among them one of each slot, whatever the namespace is called. */
	private Set<String> names() {
		Set<String> names = new TreeSet<>();
		for (String slot : List.of(A, B, C)) {
			names.add(secretOf(slot, "o"));
		}
		for (int i = 0; names.size() < PAIRS; i++) {
			names.add("o-" + i);
		}
		return names;
	}

	private void createPairs(Function<String, Map<String, String>> labels) {
		for (String name : names()) {
			Secret secret = this.world.secret(name, labels.apply(name));
			this.world.configMap(name, secret, labels.apply(name));
		}
	}

	private Map<String, String> expected(String... shards) {
		Map<String, String> expected = new TreeMap<>();
		for (String name : names()) {
			expected.put(name, this.world.owner(name, shards));
		}
		return expected;
	}

	/* The name of a Secret that belongs to one of the shards. */
	private String secretOf(String shard, String prefix, String... shards) {
		return this.world.firstOf(prefix + "-", shard, (shards.length > 0) ? shards : new String[] { A, B, C });
	}

	private Condition honoured() {
		return this.world.status()
			.conditions()
			.stream()
			.filter((condition) -> condition.getType().equals(ShardingLabels.CONDITION_SLOTS_HONOURED))
			.findAny()
			.orElseThrow(() -> new AssertionError("The condition is not there yet"));
	}

	/* Of each object; nobody has written it as long as it is the same. */
	private Map<String, String> versions() {
		Map<String, String> versions = new TreeMap<>();
		for (String name : names()) {
			versions.put("Secret " + name,
					version(this.world.client.secrets().inNamespace(this.world.namespace).withName(name).get()));
			versions.put("ConfigMap " + name,
					version(this.world.client.configMaps().inNamespace(this.world.namespace).withName(name).get()));
		}
		return versions;
	}

	private static String version(HasMetadata object) {
		return object.getMetadata().getResourceVersion();
	}

	/* Its holder renewed it last a moment ago, and never will again. */
	private void runOut(String slot, int seconds, int secondsAgo) {
		this.world.editLease(slot, (lease) -> {
			lease.getSpec().setLeaseDurationSeconds(seconds);
			lease.getSpec().setRenewTime(ZonedDateTime.now(ZoneOffset.UTC).minusSeconds(secondsAgo));
			return lease;
		});
	}

}
