package dev.sharding.internal.sharder;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;

import dev.sharding.internal.kubernetes.lease.LeaseClock;
import dev.sharding.internal.kubernetes.rest.http.RequestGuard;
import dev.sharding.internal.sharder.assignment.metadata.HandOverOrder;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.test.Access;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TcpProxy;
import dev.sharding.test.TestNamespace;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfigurationBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseSpec;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.PolicyRuleBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the sharder does with the Leases of hand-made shards (protocol section 3).
 */
@ControlPlaneTest
class ShardLeaseIT {

	private final ControlPlane controlPlane;

	private final World world;

	ShardLeaseIT(ControlPlane controlPlane, KubernetesClient client, @TestNamespace String namespace) {
		this.controlPlane = controlPlane;
		this.world = new World(client, namespace, "shardlease");
	}

	@BeforeEach
	void create() {
		this.world.withRing().impatient();
	}

	@AfterEach
	void close() {
		this.world.close();
	}

	@Test
	@DisplayName("Scenario 105, 135: ready, expired, taken and dead, renewed and ready again")
	void followsAShardThroughItsStates() {
		this.world.start();
		this.world.lasting("shard-a", 10);
		World.await().untilAsserted(() -> assertThat(this.world.state("shard-a")).isEqualTo("ready"));
		try (LeaseHistory history = new LeaseHistory(this.world, "shard-a")) {
			renewedBefore(Duration.ofSeconds(11));
			// The sharder gives it back a moment after it took it.
			World.await()
				.untilAsserted(() -> assertThat(history.versions()).extracting(ShardLeaseIT::state)
					.containsSubsequence("ready", "expired", "dead"));
			World.await().until(() -> LeaseHistory.isFree(this.world.lease("shard-a")));
			World.await().untilAsserted(() -> assertThat(history.versions()).anySatisfy((version) -> {
				LeaseSpec taken = version.getSpec();
				assertThat(taken.getHolderIdentity()).isEqualTo("shardlease-controller");
				assertThat(taken.getLeaseDurationSeconds()).isEqualTo(20);
				assertThat(taken.getLeaseTransitions()).isEqualTo(1);
				assertThat(taken.getAcquireTime()).isEqualTo(taken.getRenewTime());
			}));
		}
		this.world.awaitShards(0);
		this.world.editLease("shard-a", (lease) -> {
			lease.getSpec().setLeaseDurationSeconds(600);
			return lease;
		});
		this.world.renew("shard-a");
		World.await().untilAsserted(() -> assertThat(this.world.state("shard-a")).isEqualTo("ready"));
	}

	private static String state(Lease version) {
		return version.getMetadata().getLabels().get(ShardingLabels.LEASE_STATE);
	}

	@Test
	void takesTheLeaseOfADeadShardAlsoIfItMayNotLabelIt() {
		Access user = this.controlPlane.user("sharder-labels-nothing", rule("", "get list watch patch", "secrets"),
				rule("", "get list watch patch", "configmaps"),
				rule("coordination.k8s.io", "get list watch update delete", "leases"),
				rule("sharding.timebertt.dev", "get list watch", "controllerrings"),
				rule("sharding.timebertt.dev", "update patch", "controllerrings/status"));
		this.world.start(user.client(), World.AT_ONCE);
		String name = this.world.secretOf("shard-a", "shard-a", "shard-b");
		try (LeaseHistory history = new LeaseHistory(this.world, "shard-a")) {
			this.world.shard("shard-a", 2);
			this.world.shard("shard-b");
			this.world.secret(name);
			World.await().untilAsserted(() -> assertThat(this.world.secretShard(name)).isEqualTo("shard-b"));
			// The sharder gives it back a moment after the object has moved.
			World.await()
				.untilAsserted(() -> assertThat(history.versions())
					.extracting((version) -> version.getSpec().getHolderIdentity())
					.contains("shardlease-controller"));
		}
		assertThat(this.world.state("shard-b")).isNull();
		World.await().untilAsserted(() -> assertThat(leasesAccessible()).isEqualTo("False"));
		// A policy engine that was away is back.
		this.world.client.rbac().clusterRoles().withName("sharding-test-sharder-labels-nothing").edit((role) -> {
			role.getRules().add(rule("coordination.k8s.io", "patch", "leases"));
			return role;
		});
		World.await().atMost(Duration.ofMinutes(2)).untilAsserted(() -> {
			assertThat(this.world.state("shard-b")).isEqualTo("ready");
			assertThat(this.world.lease("shard-b").getMetadata().getAnnotations()).containsKey(ShardingLabels.SETTLED);
			assertThat(leasesAccessible()).isEqualTo("True");
		});
	}

	@Test
	void aLeaseWhoseWritesFailKeepsNoOtherFromBeingTaken() {
		this.world.start();
		ValidatingWebhookConfiguration nowhere = this.world.client
			.resource(new ValidatingWebhookConfigurationBuilder().withNewMetadata()
				.withName("nowhere-" + this.world.namespace)
				.endMetadata()
				.addNewWebhook()
				.withName("nowhere.example.com")
				.withAdmissionReviewVersions("v1")
				.withSideEffects("None")
				.withFailurePolicy("Fail")
				.withNewObjectSelector()
				.addToMatchLabels("guarded", this.world.namespace)
				.endObjectSelector()
				.withNewClientConfig()
				.withUrl("https://127.0.0.1:1/")
				.endClientConfig()
				.addNewRule()
				.withApiGroups("coordination.k8s.io")
				.withApiVersions("v1")
				.withOperations("UPDATE", "DELETE")
				.withResources("leases")
				.endRule()
				.endWebhook()
				.build())
			.create();
		try {
			// Long gone: it is to be deleted, again and again.
			this.world.client.leases()
				.inNamespace(this.world.namespace)
				.resource(new LeaseBuilder().withNewMetadata()
					.withName("guarded")
					.addToLabels(ShardingLabels.LEASE_RING, this.world.ring)
					.addToLabels("guarded", this.world.namespace)
					.endMetadata()
					.withNewSpec()
					.withHolderIdentity("")
					.withLeaseDurationSeconds(2)
					.withAcquireTime(ZonedDateTime.now().minusMinutes(10))
					.withRenewTime(ZonedDateTime.now().minusMinutes(10))
					.endSpec()
					.build())
				.create();
			World.await().until(() -> leasesAccessible().equals("False"));
			this.world.shard("shard-a", 5);
			this.world.shard("shard-b");
			String name = this.world.secretOf("shard-a", "shard-a", "shard-b");
			this.world.secret(name);
			World.await().untilAsserted(() -> assertThat(this.world.secretShard(name)).isEqualTo("shard-b"));
		}
		finally {
			this.world.client.resource(nowhere).delete();
		}
	}

	private String leasesAccessible() {
		return this.world.status()
			.conditions()
			.stream()
			.filter((condition) -> "LeasesAccessible".equals(condition.getType()))
			.map(Condition::getStatus)
			.findFirst()
			.orElse("");
	}

	@Test
	@DisplayName("Scenario 105: a dead Lease is gone a minute after it expired")
	void deletesOrphans() {
		this.world.start();
		this.world.shard("shard-a", 5);
		this.world.editLease("shard-a", (lease) -> {
			lease.getSpec().setHolderIdentity("");
			return lease;
		});
		World.await().untilAsserted(() -> assertThat(this.world.state("shard-a")).isEqualTo("dead"));
		renewedBefore(Duration.ofSeconds(63));
		World.await().untilAsserted(() -> assertThat(this.world.lease("shard-a")).isNull());
	}

	private void renewedBefore(Duration ago) {
		this.world.editLease("shard-a", (lease) -> {
			lease.getSpec().setRenewTime(ZonedDateTime.now(ZoneOffset.UTC).minus(ago));
			return lease;
		});
	}

	@Test
	@DisplayName("Scenario 134: a hand-made Lease becomes ready, without holder it is dead at once")
	void noticesARelease() {
		this.world.start();
		this.world.shard("shard-a", 60);
		World.await().untilAsserted(() -> {
			assertThat(this.world.state("shard-a")).isEqualTo("ready");
			assertThat(this.world.status().availableShards()).isEqualTo(1);
		});
		this.world.editLease("shard-a", (lease) -> {
			lease.getSpec().setHolderIdentity(null);
			return lease;
		});
		World.await().untilAsserted(() -> {
			assertThat(this.world.state("shard-a")).isEqualTo("dead");
			assertThat(this.world.status().availableShards()).isZero();
		});
	}

	@Test
	void leavesLeasesOfUnknownRingsAlone() {
		this.world.start();
		ZonedDateTime now = ZonedDateTime.now(ZoneOffset.UTC);
		this.world.client
			.resource(new LeaseBuilder().withNewMetadata()
				.withNamespace(this.world.namespace)
				.withName("shard-a")
				.addToLabels(ShardingLabels.LEASE_RING, "no-such-ring")
				.endMetadata()
				.withNewSpec()
				.withHolderIdentity("")
				.withLeaseDurationSeconds(600)
				.withAcquireTime(now)
				.withRenewTime(now)
				.endSpec()
				.build())
			.create();
		this.world.shard("shard-b", 600);
		World.await().untilAsserted(() -> assertThat(this.world.state("shard-b")).isEqualTo("ready"));
		assertThat(this.world.state("shard-a")).isNull();
	}

	@Test
	void keepsObjectsWithAShardWhoseReadyLeaseWasDeletedForTwoDurations() {
		this.world.shard("shard-a");
		World.Repetition life = this.world.renewing("shard-b", 6);
		String name = this.world.secretOf("shard-b", "shard-a", "shard-b");
		this.world.secret(name);
		this.world.start();
		World.await().untilAsserted(() -> assertThat(this.world.secretShard(name)).isEqualTo("shard-b"));
		life.end();
		long deleted = System.nanoTime();
		this.world.client.leases().inNamespace(this.world.namespace).withName("shard-b").delete();
		World.await().untilAsserted(() -> assertThat(this.world.secretShard(name)).isEqualTo("shard-a"));
		assertThat(Duration.ofNanos(System.nanoTime() - deleted)).isGreaterThanOrEqualTo(Duration.ofSeconds(12));
	}

	@Test
	void doesNotBelieveADurationThatWasMadeShorterByHandBeforeTheShardRenewed() {
		this.world.start();
		this.world.lasting("shard-a", 4);
		World.await().untilAsserted(() -> assertThat(this.world.state("shard-a")).isEqualTo("ready"));
		long renewed = System.nanoTime();
		this.world.renew("shard-a");
		this.world.editLease("shard-a", (lease) -> {
			lease.getSpec().setLeaseDurationSeconds(1);
			return lease;
		});
		assertThat(takenAfter(renewed)).isGreaterThanOrEqualTo(Duration.ofSeconds(4));
	}

	@ParameterizedTest
	@ValueSource(longs = { -5, 5 })
	void takesNoLeaseBeforeItsTimeWhateverItsOwnClockSays(long seconds) {
		LeaseClock clock = LeaseClock.SYSTEM;
		this.world.lasting("shard-a", 4);
		this.world
			.run(new Sharder(this.world.client, World.AT_ONCE, Surroundings.usual().withUnseen(Duration.ofSeconds(1)),
					this.world.metrics, () -> Instant.now().plusSeconds(seconds), clock.nanos(), RequestGuard.NONE,
					HandOverOrder.CONTROLLED_OBJECTS_FIRST));
		World.await().untilAsserted(() -> assertThat(this.world.state("shard-a")).isNotNull());
		long renewed = System.nanoTime();
		this.world.renew("shard-a");
		assertThat(takenAfter(renewed)).isGreaterThanOrEqualTo(Duration.ofSeconds(4));
	}

	private Duration takenAfter(long nanoTime) {
		World.await().until(this::wasTaken);
		return Duration.ofNanos(System.nanoTime() - nanoTime);
	}

	/* That outlasts the time for which the sharder holds the Lease. */
	private boolean wasTaken() {
		return this.world.lease("shard-a").getSpec().getLeaseTransitions() >= 1;
	}

	@Test
	void givesAShardTimeToRenewAfterTheApiServerWasAway() {
		try (TcpProxy proxy = TcpProxy.to(this.controlPlane.apiServer());
				KubernetesClient client = this.controlPlane.admin().through(proxy).client()) {
			this.world.start(client, World.AT_ONCE);
			// When the sharder hears again it waits for as long, until the edit lands.
			this.world.lasting("shard-a", 12);
			World.await().untilAsserted(() -> assertThat(this.world.state("shard-a")).isEqualTo("ready"));
			this.world.renew("shard-a");
			proxy.blackHole();
			ZonedDateTime uncertain = this.world.lease("shard-a").getSpec().getRenewTime().plusSeconds(25);
			World.await().until(() -> ZonedDateTime.now(ZoneOffset.UTC).isAfter(uncertain));
			proxy.heal();
			World.await()
				.during(Duration.ofSeconds(2))
				.untilAsserted(() -> assertThat(this.world.lease("shard-a").getSpec().getHolderIdentity())
					.isEqualTo("shard-a"));
			this.world.editLease("shard-a", (lease) -> {
				lease.getSpec().setLeaseDurationSeconds(600);
				lease.getSpec().setRenewTime(ZonedDateTime.now(ZoneOffset.UTC));
				return lease;
			});
			World.await().untilAsserted(() -> assertThat(this.world.state("shard-a")).isEqualTo("ready"));
			assertThat(this.world.lease("shard-a").getSpec().getLeaseTransitions()).isZero();
		}
	}

	private static PolicyRule rule(String group, String verbs, String resource) {
		return new PolicyRuleBuilder().addToApiGroups(group)
			.addToResources(resource)
			.addToVerbs(verbs.split(" "))
			.build();
	}

}
