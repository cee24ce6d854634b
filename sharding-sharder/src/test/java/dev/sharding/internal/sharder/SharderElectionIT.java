package dev.sharding.internal.sharder;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import dev.sharding.internal.core.lease.RenewalTimings;
import dev.sharding.internal.core.slot.SharderMark;
import dev.sharding.internal.kubernetes.fence.FenceLaw;
import dev.sharding.internal.kubernetes.fence.WriteFence;
import dev.sharding.internal.kubernetes.lease.LeaseClock;
import dev.sharding.internal.kubernetes.rest.http.RequestGuard;
import dev.sharding.internal.sharder.assignment.metadata.HandOverOrder;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.test.Access;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneBuilder;
import dev.sharding.test.ControlPlaneExtension;
import dev.sharding.test.TcpProxy;
import dev.sharding.test.TestNamespace;
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
 * Several sharders, of which one acts (protocol section 7).
 */
class SharderElectionIT {

	@RegisterExtension
	static final ControlPlaneExtension controlPlaneExtension = ControlPlaneExtension
		.own((builder) -> builder.auditPolicy(ControlPlaneBuilder.AUDIT_EVERYTHING));

	private final ControlPlane controlPlane;

	private final World world;

	private final ElectionOptions election;

	private final List<ElectedSharder> candidates = new ArrayList<>();

	SharderElectionIT(ControlPlane controlPlane, KubernetesClient client, @TestNamespace String namespace) {
		this.controlPlane = controlPlane;
		this.world = new World(client, namespace, "election");
		this.election = ElectionOptions.DEFAULT.withNamespace(namespace)
			.withTimings(RenewalTimings.of(Duration.ofSeconds(4), null, null));
	}

	@BeforeEach
	void create() {
		this.world.withRing();
		this.world.shard("shard-a");
	}

	@AfterEach
	void close() {
		this.candidates.forEach(ElectedSharder::close);
		this.world.close();
	}

	@Test
	@DisplayName("Scenario 6: Lease sharder in sharding-system with 15, 10 and 2 s; the namespace is made if it is missing")
	void hasTheDefaultsOfTheProtocol() {
		assertThat(this.world.client.namespaces().withName("sharding-system").get()).isNull();
		ElectedSharder sharder = candidate(this.world.client, ElectionOptions.DEFAULT, LeaseClock.SYSTEM);
		World.await().until(() -> sharder.status().isElected());
		Lease lease = this.world.client.leases().inNamespace("sharding-system").withName("sharder").get();
		assertThat(lease.getSpec().getLeaseDurationSeconds()).isEqualTo(15);
		assertThat(ElectionOptions.DEFAULT.timings().renewDeadline()).isEqualTo(Duration.ofSeconds(10));
		assertThat(ElectionOptions.DEFAULT.timings().retryPeriod()).isEqualTo(Duration.ofSeconds(2));
		sharder.close();
		assertThat(this.world.client.leases()
			.inNamespace("sharding-system")
			.withName("sharder")
			.get()
			.getSpec()
			.getHolderIdentity()).isEmpty();
	}

	@Test
	void oneOfTwoActsAndTheOtherTakesOverAtOnceWhenItStops() {
		ElectedSharder first = candidate();
		ElectedSharder second = candidate();
		World.await().until(() -> first.status().isElected() != second.status().isElected());
		ElectedSharder leader = first.status().isElected() ? first : second;
		ElectedSharder standby = (leader == first) ? second : first;
		World.await().until(() -> standby.status().isWorking());
		awaitAssigned("before");
		leader.close();
		World.await().until(() -> standby.status().isElected());
		awaitAssigned("after");
	}

	@Test
	@DisplayName("Each leader says on its Lease that it honours slots; one of another make counts the transitions up, which voids that")
	void eachLeaderSaysThatItHonoursSlots() {
		ElectedSharder first = candidate();
		World.await().until(() -> first.status().isElected());
		assertThat(isMarked()).isTrue();
		ElectedSharder second = candidate();
		first.close();
		World.await().until(() -> second.status().isElected());
		assertThat(isMarked()).isTrue();
		second.close();
		GoLease other = new GoLease(this.world.client, this.election.namespace(), this.election.leaseName(), "go_1");
		World.await().until(other::acquires);
		assertThat(isMarked()).isFalse();
	}

	private boolean isMarked() {
		Lease lease = this.world.client.leases()
			.inNamespace(this.election.namespace())
			.withName(this.election.leaseName())
			.get();
		return SharderMark.text(lease.getSpec().getLeaseTransitions())
			.equals(lease.getMetadata().getAnnotations().get(ShardingLabels.HONOURS_SLOTS));
	}

	@Test
	@DisplayName("A leader that hears nothing for longer than its Lease sends nothing more when it hears again, and becomes leader again only after a new election")
	void aLeaderThatWasCutOffWritesNothing() {
		Access old = user("sharder-old");
		Access next = user("sharder-new");
		try (TcpProxy proxy = TcpProxy.to(this.controlPlane.apiServer())) {
			ElectedSharder first = candidate(old.through(proxy).client(), this.election, LeaseClock.SYSTEM);
			World.await().until(() -> first.status().isElected());
			awaitAssigned("before");
			ElectedSharder second = candidate(next.client(),
					this.election.withTimings(RenewalTimings.of(Duration.ofSeconds(12), null, null)),
					LeaseClock.SYSTEM);
			proxy.blackHole();
			World.await().until(() -> second.status().isElected());
			awaitAssigned("meanwhile");
			Audit audit = new Audit(this.controlPlane.apiServer().auditLog(), old.user());
			int before = audit.lines(0).size();
			proxy.heal();
			World.await().until(() -> {
				var lease = first.status().lease();
				return lease != null && lease.waitingFor() != null && lease.failingSince() == null;
			});
			assertThat(first.status().isElected()).isFalse();
			awaitAssigned("after");
			assertThat(audit.lines(before))
				.noneMatch((line) -> line.matches(".*\"verb\":\"(create|update|patch|delete|deletecollection)\".*"));
		}
	}

	@Test
	@DisplayName("A leader that cannot begin gives its Lease back, so that another one leads")
	void whoCannotBeginLetsOthersLead() {
		AtomicInteger begun = new AtomicInteger();
		ElectedSharder broken = new ElectedSharder(this.world.client, this.election, this.world.metrics,
				LeaseClock.SYSTEM, (guard) -> {
					begun.incrementAndGet();
					throw new IllegalStateException("no sharder here");
				});
		this.candidates.add(broken);
		broken.start();
		World.await().until(() -> begun.get() > 0);
		candidate();
		awaitAssigned("led-by-another");
	}

	@Test
	@DisplayName("A patch that the fence refuses is not tried again: the next leader looks at everything anew")
	void triesNothingAgainThatTheFenceRefuses() {
		List<Long> attempts = new CopyOnWriteArrayList<>();
		RequestGuard closed = WriteFence.ofLease("nobody", () -> null, LeaseClock.SYSTEM::now, FenceLaw.CONTRACT,
				this.world.metrics);
		this.world.run(new Sharder(this.world.client, World.AT_ONCE, Surroundings.usual(), this.world.metrics,
				InstantSource.system(), System::nanoTime, (request) -> {
					if (request.path().endsWith("/secrets/refused")) {
						attempts.add(System.nanoTime());
					}
					return closed.admit(request);
				}, HandOverOrder.CONTROLLED_OBJECTS_FIRST));
		this.world.secret("refused");
		World.await().until(() -> !attempts.isEmpty());
		// A later pass comes five seconds after the first attempt, or later.
		long end = attempts.get(0) + Duration.ofSeconds(4).toNanos();
		World.await().until(() -> System.nanoTime() - end > 0);
		// Once by the first pass, and once by the event.
		assertThat(attempts).filteredOn((time) -> time - end < 0).hasSizeLessThanOrEqualTo(2);
		assertThat(this.world.secretShard("refused")).isNull();
	}

	@Test
	void survivesADeletedLeaseWithoutTwoLeaders() {
		ElectedSharder first = candidate();
		World.await().until(() -> first.status().isElected());
		ElectedSharder second = candidate();
		World.await().until(() -> {
			var lease = second.status().lease();
			return lease != null && lease.waitingFor() != null;
		});
		this.world.client.leases().inNamespace(this.election.namespace()).withName("sharder").delete();
		World.await().until(() -> {
			assertThat(first.status().isElected() && second.status().isElected()).isFalse();
			Lease lease = lease();
			return lease != null && (first.status().isElected() || second.status().isElected());
		});
		awaitAssigned("after");
	}

	@Test
	@DisplayName("A candidate that starts right after the Lease was deleted by hand does not act beside the leader")
	void aCandidateThatNeverSawTheDeletedLeaseWaits() {
		ElectedSharder first = candidate();
		World.await().until(() -> first.status().isElected());
		this.world.client.leases().inNamespace(this.election.namespace()).withName("sharder").delete();
		ElectedSharder second = candidate();
		Instant begin = Instant.now();
		World.await().pollInterval(Duration.ofMillis(20)).until(() -> {
			assertThat(first.status().isElected() && second.status().isElected()).isFalse();
			return lease() != null && Instant.now().isAfter(begin.plus(this.election.timings().leaseDuration()));
		});
		awaitAssigned("after");
	}

	@Test
	@DisplayName("A candidate does not act beside a leader that was taken off its Lease by hand and has not noticed")
	void aCandidateWaitsForALeaderThatWasTakenOffByHand() {
		ElectedSharder first = candidate();
		World.await().until(() -> first.status().isElected());
		this.world.client.leases().inNamespace(this.election.namespace()).withName("sharder").edit((lease) -> {
			lease.getSpec().setHolderIdentity("");
			return lease;
		});
		ElectedSharder second = candidate();
		Instant begin = Instant.now();
		World.await().pollInterval(Duration.ofMillis(20)).until(() -> {
			assertThat(first.status().isElected() && second.status().isElected()).isFalse();
			return Instant.now().isAfter(begin.plus(this.election.timings().leaseDuration()));
		});
		awaitAssigned("after");
	}

	@Test
	void clocksThatAreAnHourOffNeitherGetNorLoseALease() {
		ElectionOptions patient = this.election.withTimings(RenewalTimings.DEFAULTS);
		ElectedSharder leader = candidate(this.world.client, patient, skewed(Duration.ofHours(-1)));
		World.await().until(() -> leader.status().isElected());
		ElectedSharder other = candidate(this.world.client, patient, skewed(Duration.ofHours(1)));
		Instant begin = Instant.now();
		World.await().until(() -> {
			assertThat(other.status().isElected()).isFalse();
			assertThat(leader.status().isElected()).isTrue();
			return Instant.now().isAfter(begin.plusSeconds(10));
		});
		assertThat(lease().getSpec().getLeaseTransitions()).isZero();
	}

	@Test
	void worksWithoutElectionIfToldTo() {
		ElectedSharder sharder = candidate(this.world.client,
				new ElectionOptions(false, "none", "none", RenewalTimings.DEFAULTS), LeaseClock.SYSTEM);
		World.await().until(() -> sharder.status().isElected());
		awaitAssigned("alone");
		assertThat(sharder.status().lease()).isNull();
	}

	@Test
	@DisplayName("Ours does nothing beside a Go sharder that leads, nor does a Go sharder beside ours")
	void neverActsTogetherWithAGoSharder() {
		ElectionOptions calm = this.election.withTimings(RenewalTimings.DEFAULTS);
		String identity = "sharder-7f9c6bd5d8-x2x8l_5b1d7a0e-0c57-4a39-9a10-4a1f6f2f4f5e";
		GoLease other = new GoLease(this.world.client, calm.namespace(), "sharder", identity);
		Access user = user("sharder-beside-go");
		other.create();
		ElectedSharder ours = candidate(user.client(), calm, LeaseClock.SYSTEM);
		Audit audit = new Audit(this.controlPlane.apiServer().auditLog(), user.user());
		this.world.secret("before");
		World.await().until(() -> {
			assertThat(other.acquires()).isTrue();
			var lease = ours.status().lease();
			return lease != null && identity.equals(lease.waitingFor()) && audit.count(0, "get", "leases") > 2;
		});
		assertThat(this.world.secretShard("before")).isNull();
		for (String verb : List.of("patch", "update", "create", "delete")) {
			assertThat(audit.lines(0)).noneMatch((line) -> line.contains("\"verb\":\"" + verb + "\""));
		}
		other.release();
		World.await().until(() -> ours.status().isElected());
		World.await().untilAsserted(() -> assertThat(this.world.secretShard("before")).isEqualTo("shard-a"));
		ZonedDateTime elected = other.get().getSpec().getRenewTime();
		World.await().until(() -> {
			assertThat(other.acquires()).isFalse();
			return other.get().getSpec().getRenewTime().isAfter(elected);
		});
		ours.close();
		World.await().until(other::acquires);
		assertThat(other.get().getSpec().getHolderIdentity()).isEqualTo(identity);
	}

	private ElectedSharder candidate() {
		return candidate(this.world.client, this.election, LeaseClock.SYSTEM);
	}

	private ElectedSharder candidate(KubernetesClient client, ElectionOptions options, LeaseClock clock) {
		ElectedSharder candidate = new ElectedSharder(client, options, this.world.metrics, clock,
				(guard) -> new Sharder(client, World.AT_ONCE, Surroundings.usual(), this.world.metrics,
						LeaseClock.SYSTEM.wall(), LeaseClock.SYSTEM.nanos(), guard,
						HandOverOrder.CONTROLLED_OBJECTS_FIRST));
		this.candidates.add(candidate);
		candidate.start();
		return candidate;
	}

	private void awaitAssigned(String secret) {
		this.world.secret(secret);
		World.await().untilAsserted(() -> assertThat(this.world.secretShard(secret)).isEqualTo("shard-a"));
	}

	private Lease lease() {
		return this.world.client.leases().inNamespace(this.election.namespace()).withName("sharder").get();
	}

	private static LeaseClock skewed(Duration skew) {
		return new LeaseClock(() -> Instant.now().plus(skew), System::nanoTime);
	}

	private Access user(String name) {
		return this.controlPlane.user(name, rule("", "get list watch patch", "secrets", "configmaps"),
				rule("", "get", "namespaces"),
				rule("coordination.k8s.io", "get list watch create update patch delete", "leases"),
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
