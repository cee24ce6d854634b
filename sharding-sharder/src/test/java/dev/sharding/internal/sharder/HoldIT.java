package dev.sharding.internal.sharder;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZonedDateTime;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import dev.sharding.client.NotSentException;
import dev.sharding.internal.core.lease.RenewalTimings;
import dev.sharding.internal.kubernetes.lease.LeaseClients;
import dev.sharding.internal.kubernetes.lease.LeaseClock;
import dev.sharding.internal.kubernetes.lease.LeaseHolder;
import dev.sharding.internal.kubernetes.lease.LeaseHolderConfig;
import dev.sharding.internal.kubernetes.rest.http.RequestGuard;
import dev.sharding.internal.sharder.assignment.metadata.HandOverOrder;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.test.Access;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneBuilder;
import dev.sharding.test.ControlPlaneExtension;
import dev.sharding.test.TestNamespace;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.PolicyRuleBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Objects leave a shard without a drain only while the sharder holds its Lease.
 */
class HoldIT {

	@RegisterExtension
	static final ControlPlaneExtension controlPlaneExtension = ControlPlaneExtension
		.own((builder) -> builder.auditPolicy(ControlPlaneBuilder.AUDIT_EVERYTHING));

	private static final String SHARDER = "shardlease-controller";

	/* The whole proof takes 3,000. */
	private static final int MOVES = Integer.getInteger("proof.moves", 400);

	private final ControlPlane controlPlane;

	private final World world;

	private final ExecutorService threads = Executors.newFixedThreadPool(12);

	HoldIT(ControlPlane controlPlane, KubernetesClient client, @TestNamespace String namespace) {
		this.controlPlane = controlPlane;
		this.world = new World(client, namespace, "hold");
	}

	@BeforeEach
	void create() {
		this.world.withRing();
		this.world.shard("shard-a");
	}

	@AfterEach
	void close() {
		this.threads.shutdownNow();
		this.world.close();
	}

	@Test
	@DisplayName("A shard that restarts under its name right after the first of many moves is back only when all have moved")
	void aRestartedShardWaitsUntilAllHasMoved() throws Exception {
		assertThat(leftAfterRestart(() -> World.await()
			.pollInterval(Duration.ofMillis(5))
			.until(() -> this.world.count("movements", "configmaps") > 0))).isZero();
	}

	@Test
	@DisplayName("A shard that restarts under its name 100 ms after its release is back before the first of many moves, or after the last")
	void aShardThatRestartsAfter100MillisecondsIsBackBeforeOrAfterAllMoves() throws Exception {
		int left = leftAfterRestart(() -> CompletableFuture.runAsync(() -> {
		}, CompletableFuture.delayedExecutor(100, TimeUnit.MILLISECONDS)).join());
		assertThat(left).isIn(0, MOVES);
	}

	/** How many objects a shard has when it has its Lease back. */
	private int leftAfterRestart(Runnable untilRestart) throws Exception {
		createPairs(MOVES / 2, "shard-b");
		this.world.start();
		this.world.shard("shard-b");
		World.await().untilAsserted(() -> assertThat(this.world.status().availableShards()).isEqualTo(2));
		RenewalTimings timings = RenewalTimings.of(Duration.ofSeconds(15), null, null);
		try (KubernetesClient client = LeaseClients.create(this.controlPlane.admin().config(), timings);
				LeaseHolder restarted = new LeaseHolder(
						LeaseHolderConfig.shard(this.world.namespace, this.world.ring, "shard-b", timings), client,
						this.world.metrics, LeaseClock.SYSTEM, () -> false)) {
			CompletableFuture<Integer> left = restarted.held().thenApply((term) -> leftWith("shard-b"));
			this.world.release("shard-b");
			untilRestart.run();
			restarted.start();
			int found = left.get(2, TimeUnit.MINUTES);
			World.await().untilAsserted(() -> assertThat(this.world.state("shard-b")).isEqualTo("ready"));
			return found;
		}
	}

	@Test
	@DisplayName("A Go shard that restarts under its name waits while the sharder holds its Lease, and is back when all has moved")
	void aGoShardSimplyWaits() {
		CompletableFuture<Void> mainMayFollow = new CompletableFuture<>();
		Sharder sharder = new Sharder(this.world.client, World.AT_ONCE, Surroundings.usual(), this.world.metrics,
				InstantSource.system(), System::nanoTime, RequestGuard.NONE,
				new WaitsBeforeTheMainObject(mainMayFollow));
		String name = this.world.secretOf("shard-b", "shard-a", "shard-b");
		Secret secret = this.world.secret(name, this.world.assignedTo("shard-b"));
		this.world.configMap("c-1", secret, this.world.assignedTo("shard-b"));
		this.world.shard("shard-b");
		this.world.editLease("shard-b", (lease) -> {
			lease.getMetadata().getAnnotations().remove(ShardingLabels.INSTANCE_ID);
			return lease;
		});
		this.world.run(sharder);
		World.await().untilAsserted(() -> assertThat(this.world.status().availableShards()).isEqualTo(2));
		GoLease shard = new GoLease(this.world.client, this.world.namespace, "shard-b", "shard-b");
		shard.release();
		World.await().untilAsserted(() -> assertThat(this.world.configMapShard("c-1")).isEqualTo("shard-a"));
		ZonedDateTime held = shard.get().getSpec().getRenewTime();
		World.await().until(() -> {
			assertThat(shard.acquires()).isFalse();
			assertThat(this.world.secretShard(name)).isEqualTo("shard-b");
			return shard.get().getSpec().getRenewTime().isAfter(held);
		});
		mainMayFollow.complete(null);
		World.await().until(shard::acquires);
		assertThat(leftWith("shard-b")).isZero();
		World.await().untilAsserted(() -> assertThat(this.world.state("shard-b")).isEqualTo("ready"));
	}

	@Test
	@DisplayName("A Lease that could not be given back is given back by a later attempt")
	void givesALeaseBackHoweverOftenThatFails() {
		AtomicInteger failures = new AtomicInteger(3);
		Sharder sharder = new Sharder(this.world.client, World.AT_ONCE, Surroundings.usual(), this.world.metrics,
				InstantSource.system(), System::nanoTime, (request) -> {
					boolean givesBack = request.method().equals("PUT") && request.path().endsWith("/leases/shard-b")
							&& String.valueOf(request.body()).contains("\"holderIdentity\":\"\"");
					if (givesBack && failures.getAndDecrement() > 0) {
						throw new KeptBackException();
					}
					return null;
				}, HandOverOrder.CONTROLLED_OBJECTS_FIRST);
		String name = this.world.secretOf("shard-b", "shard-a", "shard-b");
		this.world.secret(name, this.world.assignedTo("shard-b"));
		this.world.shard("shard-b");
		sharder.start();
		try {
			World.await().untilAsserted(() -> assertThat(this.world.status().availableShards()).isEqualTo(2));
			this.world.release("shard-b");
			World.await().untilAsserted(() -> {
				assertThat(this.world.secretShard(name)).isEqualTo("shard-a");
				assertThat(failures).hasNegativeValue();
				assertThat(holder("shard-b")).isEmpty();
			});
		}
		finally {
			sharder.close();
		}
	}

	@Test
	@DisplayName("A Lease is made for a shard that has none, after as long as the others' last, held while its objects move, and given back")
	void makesALeaseForAShardThatHasNone() {
		this.world.editLease("shard-a", (lease) -> {
			lease.getSpec().setLeaseDurationSeconds(6);
			return lease;
		});
		Access user = user("sharder-makes", "get list watch create update patch delete");
		Secret secret = this.world.secret("s-1", this.world.assignedTo("shard-gone"));
		this.world.configMap("c-1", secret, this.world.assignedTo("shard-gone"));
		long began = System.nanoTime();
		this.world.impatient().start(user.client(), World.AT_ONCE);
		World.await().pollInterval(Duration.ofSeconds(1)).untilAsserted(() -> {
			this.world.renew("shard-a");
			assertThat(this.world.secretShard("s-1")).isEqualTo("shard-a");
			assertThat(this.world.configMapShard("c-1")).isEqualTo("shard-a");
		});
		assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThanOrEqualTo(Duration.ofSeconds(6));
		World.await().untilAsserted(() -> {
			assertThat(this.world.lease("shard-gone")).isNotNull();
			assertThat(holder("shard-gone")).isEmpty();
			assertThat(this.world.lease("shard-gone").getMetadata().getAnnotations())
				.containsEntry(ShardingLabels.MADE_BY_SHARDER, "true");
		});
		Audit audit = new Audit(this.controlPlane.apiServer().auditLog(), user.user());
		assertThat(audit.count(0, "create", "leases")).isEqualTo(1);
		assertThat(this.world.state("shard-gone")).isEqualTo("dead");
	}

	@Test
	@DisplayName("A Lease whose ring label was taken off by hand gets it back, and is held before its objects move")
	void putsTheLabelOfTheRingBackOnALeaseThatLostIt() {
		String name = this.world.secretOf("shard-b", "shard-a", "shard-b");
		this.world.secret(name, this.world.assignedTo("shard-b"));
		this.world.shard("shard-b", 4);
		this.world.editLease("shard-b", (lease) -> {
			lease.getMetadata().getLabels().remove(ShardingLabels.LEASE_RING);
			return lease;
		});
		this.world.start();
		World.await().untilAsserted(() -> {
			assertThat(this.world.secretShard(name)).isEqualTo("shard-a");
			assertThat(holder("shard-b")).isNotEqualTo("shard-b");
			assertThat(this.world.lease("shard-b").getMetadata().getLabels()).containsEntry(ShardingLabels.LEASE_RING,
					this.world.ring);
		});
	}

	@Test
	@DisplayName("A holder that was taken off by hand moves nothing for two durations, as its shard may not have noticed")
	void waitsForAShardWhoseHolderWasTakenOffByHand() {
		World.Repetition life = this.world.renewing("shard-b", 6);
		String name = this.world.secretOf("shard-b", "shard-a", "shard-b");
		this.world.secret(name);
		this.world.start();
		World.await().untilAsserted(() -> assertThat(this.world.secretShard(name)).isEqualTo("shard-b"));
		life.end();
		long edited = System.nanoTime();
		this.world.editLease("shard-b", (lease) -> {
			lease.getSpec().setHolderIdentity("");
			return lease;
		});
		World.await().untilAsserted(() -> assertThat(this.world.state("shard-b")).isEqualTo("dead"));
		World.await().untilAsserted(() -> assertThat(this.world.secretShard(name)).isEqualTo("shard-a"));
		assertThat(Duration.ofNanos(System.nanoTime() - edited)).isGreaterThanOrEqualTo(Duration.ofSeconds(12));
	}

	@Test
	@DisplayName("A sharder that ends between the controlled and the main object leaves the Lease held, and the next one resumes")
	void theNextSharderResumes() {
		this.world.shard("shard-b");
		String name = this.world.secretOf("shard-b", "shard-a", "shard-b");
		Secret secret = this.world.secret(name, this.world.assignedTo("shard-b"));
		this.world.configMap("c-1", secret, this.world.assignedTo("shard-b"));
		Sharder first = new Sharder(this.world.client, World.AT_ONCE, Surroundings.usual(), this.world.metrics,
				InstantSource.system(), System::nanoTime, RequestGuard.NONE, new EndsBeforeTheMainObject());
		first.start();
		World.await().untilAsserted(() -> assertThat(this.world.status().availableShards()).isEqualTo(2));
		this.world.release("shard-b");
		World.await().untilAsserted(() -> assertThat(this.world.configMapShard("c-1")).isEqualTo("shard-a"));
		first.close();
		assertThat(this.world.secretShard(name)).isEqualTo("shard-b");
		assertThat(holder("shard-b")).isEqualTo(SHARDER);
		this.world.start();
		World.await().untilAsserted(() -> {
			assertThat(this.world.secretShard(name)).isEqualTo("shard-a");
			assertThat(holder("shard-b")).isEmpty();
		});
	}

	@Test
	@DisplayName("A move that was about to be sent when the hold ended is sent only once the shard is held again")
	void aMoveThatOutlivesItsHoldIsNotSent() {
		this.world.shard("shard-b");
		String name = this.world.secretOf("shard-b", "shard-a", "shard-b");
		this.world.secret(name, this.world.assignedTo("shard-b"));
		AtomicLong ahead = new AtomicLong();
		AtomicReference<String> ownerAtNextHold = new AtomicReference<>();
		RequestGuard pausing = (request) -> {
			if (request.path().endsWith("/secrets/" + name) && request.method().equals("PATCH")) {
				ahead.compareAndSet(0, Duration.ofMinutes(1).toNanos());
			}
			else if (ahead.get() > 0 && request.path().endsWith("/leases/shard-b")) {
				ownerAtNextHold.compareAndSet(null, this.world.secretShard(name));
			}
			return null;
		};
		try (Sharder sharder = new Sharder(this.world.client, World.AT_ONCE, Surroundings.usual(), this.world.metrics,
				InstantSource.system(), () -> System.nanoTime() + ahead.get(), pausing,
				HandOverOrder.CONTROLLED_OBJECTS_FIRST)) {
			sharder.start();
			World.await().untilAsserted(() -> assertThat(this.world.status().availableShards()).isEqualTo(2));
			this.world.release("shard-b");
			World.await().untilAsserted(() -> assertThat(this.world.secretShard(name)).isEqualTo("shard-a"));
		}
		assertThat(ahead.get()).isPositive();
		assertThat(ownerAtNextHold).hasValue("shard-b");
	}

	@Test
	@DisplayName("A sharder that ends in a hand-over after a drain, between the controlled and the main object, is succeeded by one that finishes it")
	void theNextSharderFinishesAHandOverAfterADrain() {
		String name = this.world.secretOf("shard-b", "shard-a", "shard-b");
		Secret secret = this.world.secret(name, this.world.assignedTo("shard-a"));
		this.world.configMap("c-1", secret, this.world.assignedTo("shard-a"));
		Sharder first = new Sharder(this.world.client, World.AT_ONCE, Surroundings.usual(), this.world.metrics,
				InstantSource.system(), System::nanoTime, RequestGuard.NONE, new EndsBeforeTheMainObject());
		first.start();
		this.world.shard("shard-b");
		World.await().untilAsserted(() -> assertThat(this.world.isDraining(name)).isTrue());
		this.world.removeLabels(name);
		World.await().untilAsserted(() -> assertThat(this.world.configMapShard("c-1")).isEqualTo("shard-b"));
		first.close();
		assertThat(this.world.secretShard(name)).isNull();
		this.world.start();
		World.await().untilAsserted(() -> assertThat(this.world.secretShard(name)).isEqualTo("shard-b"));
	}

	@Test
	@DisplayName("An older object whose label is taken off by hand comes after what it controls, also if that is with another shard")
	void anOlderObjectWithoutLabelComesAfterWhatItControls() {
		this.world.shard("shard-b");
		String name = this.world.secretOf("shard-a", "shard-a", "shard-b");
		Secret secret = this.world.secret(name, this.world.assignedTo("shard-a"));
		this.world.run(new Sharder(this.world.client, World.AT_ONCE, Surroundings.usual(), this.world.metrics,
				() -> Instant.now().plusSeconds(60), System::nanoTime, RequestGuard.NONE,
				HandOverOrder.CONTROLLED_OBJECTS_FIRST));
		World.await()
			.during(Duration.ofSeconds(2))
			.untilAsserted(() -> assertThat(this.world.status().availableShards()).isEqualTo(2));
		this.world.configMap("c-1", secret, this.world.assignedTo("shard-b"));
		this.world.removeLabels(name);
		World.await().untilAsserted(() -> {
			assertThat(this.world.secretShard(name)).isEqualTo("shard-a");
			assertThat(this.world.configMapShard("c-1")).isEqualTo("shard-a");
		});
		this.world.assertLabelledBefore("c-1", name);
	}

	@Test
	@DisplayName("An object that somebody let go of, nobody knows who, comes after what it controls, also if that is with a shard that is gone")
	void whatAnObjectOfUnknownPastControlsLeavesAShardThatIsGoneFirst() {
		Secret secret = this.world.secret("s-1");
		this.world.configMap("c-1", secret, this.world.assignedTo("shard-b"));
		this.world.shard("shard-b");
		this.world.release("shard-b");
		this.world.start();
		World.await().untilAsserted(() -> {
			assertThat(this.world.secretShard("s-1")).isEqualTo("shard-a");
			assertThat(this.world.configMapShard("c-1")).isEqualTo("shard-a");
		});
		this.world.assertLabelledBefore("c-1", "s-1");
	}

	@Test
	@DisplayName("While the Lease cannot be taken nothing moves, the ring says so, and the sharder does not insist")
	void namesALeaseThatItMayNotTake() {
		Access user = user("sharder-takes-nothing", "get list watch");
		String name = this.world.secretOf("shard-b", "shard-a", "shard-b");
		this.world.secret(name, this.world.assignedTo("shard-b"));
		this.world.shard("shard-b");
		this.world.release("shard-b");
		this.world.start(user.client(), World.AT_ONCE);
		World.await()
			.untilAsserted(() -> assertThat(this.world.status().conditions())
				.anyMatch((condition) -> "LeasesAccessible".equals(condition.getType())
						&& "False".equals(condition.getStatus())
						&& condition.getMessage().contains("Lease " + this.world.namespace + "/shard-b")));
		Audit audit = new Audit(this.controlPlane.apiServer().auditLog(), user.user());
		int before = audit.lines(0).size();
		World.await()
			.during(Duration.ofSeconds(8))
			.untilAsserted(() -> assertThat(this.world.secretShard(name)).isEqualTo("shard-b"));
		assertThat(audit.count(before, "update", "leases")).isLessThanOrEqualTo(6);
	}

	private int leftWith(String shard) {
		return (int) (this.world.secretShards().values().stream().filter(shard::equals).count()
				+ this.world.configMapShards().values().stream().filter(shard::equals).count());
	}

	private String holder(String shard) {
		Lease lease = this.world.lease(shard);
		return (lease != null && lease.getSpec().getHolderIdentity() != null) ? lease.getSpec().getHolderIdentity()
				: "";
	}

	private void createPairs(int count, String shard) throws Exception {
		Map<String, String> labels = this.world.assignedTo(shard);
		for (Future<?> created : IntStream.range(0, count).mapToObj((i) -> this.threads.submit(() -> {
			Secret secret = this.world.secret("s-" + i, labels);
			this.world.configMap("s-" + i, secret, labels);
		})).toList()) {
			created.get();
		}
	}

	private Access user(String name, String verbsOnLeases) {
		return this.controlPlane.user(name, rule("", "get list watch patch", "secrets", "configmaps"),
				rule("coordination.k8s.io", verbsOnLeases, "leases"),
				rule("sharding.timebertt.dev", "get list watch", "controllerrings"),
				rule("sharding.timebertt.dev", "update patch", "controllerrings/status"));
	}

	private static PolicyRule rule(String group, String verbs, String... resources) {
		return new PolicyRuleBuilder().addToApiGroups(group)
			.addToResources(resources)
			.addToVerbs(verbs.split(" "))
			.build();
	}

	private static final class KeptBackException extends NotSentException {

		private static final long serialVersionUID = 1L;

		private KeptBackException() {
			super("Kept back by the test");
		}

	}

	private record WaitsBeforeTheMainObject(CompletableFuture<Void> mayFollow) implements HandOverOrder {

		@Override
		public <T> CompletableFuture<T> run(Supplier<CompletableFuture<Boolean>> controlled,
				Function<Boolean, CompletableFuture<T>> main) {
			return controlled.get().thenCompose((moved) -> this.mayFollow.thenCompose((may) -> main.apply(moved)));
		}

	}

	/**
	 * As if the process had been killed after the controlled objects.
	 */
	private static final class EndsBeforeTheMainObject implements HandOverOrder {

		@Override
		public <T> CompletableFuture<T> run(Supplier<CompletableFuture<Boolean>> controlled,
				Function<Boolean, CompletableFuture<T>> main) {
			return controlled.get().thenCompose((moved) -> new CompletableFuture<>());
		}

	}

}
