package dev.sharding.internal.sharder;

import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Set;

import dev.sharding.internal.sharder.shardlease.LeaseTrust;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.api.model.rbac.PolicyRuleBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Leases that somebody makes who may write Leases in a namespace, as every editor of one
 * may, and is no shard.
 */
@ControlPlaneTest
class PhantomLeaseIT {

	private static final int FOR_EVER = Integer.MAX_VALUE;

	private static final Duration LONGEST = Duration.ofSeconds(6);

	/* Two durations, and time to notice on a busy machine. FOR_EVER lasts for years. */
	private static final Duration SOON = LONGEST.multipliedBy(2).plusSeconds(60);

	private static final int SHORT = 4;

	private static final SharderOptions OPTIONS = World.AT_ONCE.withLeaseTrust(new LeaseTrust(LONGEST, Set.of()));

	private final World world;

	private final KubernetesClient editor;

	private final String elsewhere;

	PhantomLeaseIT(ControlPlane controlPlane, KubernetesClient client, @TestNamespace String namespace) {
		this.world = new World(client, namespace, "phantom");
		this.elsewhere = namespace + "-of-others";
		client.resource(new NamespaceBuilder().withNewMetadata().withName(this.elsewhere).endMetadata().build())
			.serverSideApply();
		this.editor = controlPlane.user("editor-" + Long.toHexString(System.nanoTime()),
				new PolicyRuleBuilder().addToApiGroups("coordination.k8s.io")
					.addToResources("leases")
					.addToVerbs("get", "list", "create", "update", "patch", "delete")
					.build())
			.client();
	}

	@BeforeEach
	void create() {
		this.world.withRing();
	}

	@AfterEach
	void close() {
		this.editor.close();
		this.world.client.leases().inNamespace(this.elsewhere).delete();
		this.world.close();
	}

	@Test
	@DisplayName("A Lease with a duration above the cap gets no object, no drain happens, and the ring names it")
	void aLeaseForEverIsNoMember() {
		believed("shard-a");
		this.world.start(this.world.client, OPTIONS);
		String name = this.world.secretOf("phantom", "phantom", "shard-a");
		this.world.secret(name);
		whileShardALives(() -> assertThat(this.world.secretShard(name)).isEqualTo("shard-a"));
		phantom("phantom", FOR_EVER);
		whileShardALives(() -> assertThat(invalid()).contains("Lease " + this.elsewhere + "/phantom",
				"sharding.sharder.max-lease-duration"));
		Secret second = this.world.secret(this.world.firstOf("second-", "phantom", "phantom", "shard-a"));
		whileShardALives(() -> {
			assertThat(this.world.secretShard(second.getMetadata().getName())).isEqualTo("shard-a");
			assertThat(this.world.secretShard(name)).isEqualTo("shard-a");
			assertThat(this.world.isDraining(name)).isFalse();
			assertThat(this.world.status().shards()).isEqualTo(1);
			assertThat(this.world.status().availableShards()).isEqualTo(1);
		});
		assertThat(this.world.count("drains", "secrets")).isZero();
		this.world.client.leases().inNamespace(this.elsewhere).withName("phantom").delete();
		whileShardALives(() -> assertThat(invalid()).isEmpty());
	}

	@Test
	@DisplayName("Under the name of a real shard, such a Lease does not keep that shard's objects beyond two capped durations after its death")
	void aLeaseForEverKeepsNoDeadShardAlive() {
		believed("shard-a");
		this.world.shard("shard-b", SHORT);
		String name = this.world.secretOf("shard-b", "shard-a", "shard-b");
		this.world.secret(name, this.world.assignedTo("shard-b"));
		this.world.start(this.world.client, OPTIONS);
		phantom("shard-b", FOR_EVER);
		whileShardALives(() -> assertThat(invalid()).contains("Lease " + this.elsewhere + "/shard-b"));
		long died = System.nanoTime();
		whileShardALives(() -> assertThat(this.world.secretShard(name)).isEqualTo("shard-a"));
		assertThat(Duration.ofNanos(System.nanoTime() - died)).isLessThan(SOON);
	}

	@Test
	@DisplayName("The Lease of a real shard that is edited to last for ever keeps its objects for two capped durations")
	void aLeaseThatIsMadeToLastForEverLosesItsObjects() {
		believed("shard-a");
		believed("shard-b");
		String name = this.world.secretOf("shard-b", "shard-a", "shard-b");
		this.world.secret(name, this.world.assignedTo("shard-b"));
		this.world.start(this.world.client, OPTIONS);
		whileShardALives(() -> assertThat(this.world.status().availableShards()).isEqualTo(2));
		long edited = System.nanoTime();
		this.world.editLease("shard-b", (lease) -> {
			lease.getSpec().setLeaseDurationSeconds(FOR_EVER);
			return lease;
		});
		whileShardALives(() -> assertThat(this.world.secretShard(name)).isEqualTo("shard-a"));
		assertThat(Duration.ofNanos(System.nanoTime() - edited)).isBetween(LONGEST, SOON);
	}

	@Test
	@DisplayName("What nobody renews is taken after two capped durations, also if it says that it was renewed in a hundred years")
	void aRenewalInTheFutureKeepsNobodyAlive() {
		this.world.shard("shard-a", SHORT);
		this.world.editLease("shard-a", (lease) -> {
			lease.getSpec().setRenewTime(ZonedDateTime.now(ZoneOffset.UTC).plusYears(100));
			return lease;
		});
		this.world.start(this.world.client, OPTIONS);
		World.await().untilAsserted(() -> {
			assertThat(this.world.state("shard-a")).isEqualTo("dead");
			assertThat(this.world.status().availableShards()).isZero();
		});
	}

	@Test
	@DisplayName("Without an instance annotation, what bears the name waits for the full duration, or until an admin gives the Lease back")
	void aGoShardAboveTheCapWaitsForAnAdmin() {
		believed("shard-a");
		this.world.shard("shard-b", 3600);
		this.world.editLease("shard-b", (lease) -> {
			lease.getMetadata().getAnnotations().remove(ShardingLabels.INSTANCE_ID);
			return lease;
		});
		String name = this.world.secretOf("shard-b", "shard-a", "shard-b");
		this.world.secret(name, this.world.assignedTo("shard-b"));
		this.world.start(this.world.client,
				OPTIONS.withLeaseTrust(new LeaseTrust(LONGEST, Set.of(this.world.namespace))));
		whileShardALives(() -> assertThat(invalid()).contains("/shard-b"));
		World.await()
			.pollInterval(Duration.ofSeconds(1))
			.during(LONGEST.multipliedBy(2).plusSeconds(5))
			.untilAsserted(() -> {
				this.world.renew("shard-a");
				assertThat(this.world.secretShard(name)).isEqualTo("shard-b");
			});
		this.world.release("shard-b");
		whileShardALives(() -> assertThat(this.world.secretShard(name)).isNotEqualTo("shard-b"));
	}

	@Test
	@DisplayName("A Lease in a namespace that is not allowed is no member, is named, and is left alone")
	void aLeaseElsewhereIsNoMember() {
		believed("shard-a");
		phantom("phantom", SHORT);
		this.world.start(this.world.client,
				World.AT_ONCE.withLeaseTrust(new LeaseTrust(LONGEST, Set.of(this.world.namespace))));
		String name = this.world.secretOf("phantom", "phantom", "shard-a");
		this.world.secret(name);
		whileShardALives(() -> {
			assertThat(this.world.secretShard(name)).isEqualTo("shard-a");
			assertThat(invalid()).contains("Lease " + this.elsewhere + "/phantom", "sharding.sharder.lease-namespaces");
			assertThat(this.world.status().shards()).isEqualTo(1);
		});
		assertThat(this.world.client.leases()
			.inNamespace(this.elsewhere)
			.withName("phantom")
			.get()
			.getMetadata()
			.getLabels()).doesNotContainKey(ShardingLabels.LEASE_STATE);
	}

	/* Two capped durations are shorter than a test: it has to renew. */
	private void whileShardALives(ThrowingRunnable assertion) {
		World.await().pollInterval(Duration.ofSeconds(1)).untilAsserted(() -> {
			this.world.renew("shard-a");
			assertion.run();
		});
	}

	private void believed(String name) {
		this.world.lasting(name, (int) LONGEST.toSeconds());
	}

	private void phantom(String name, int seconds) {
		ZonedDateTime now = ZonedDateTime.now(ZoneOffset.UTC);
		this.editor
			.resource(new LeaseBuilder().withNewMetadata()
				.withNamespace(this.elsewhere)
				.withName(name)
				.addToLabels(ShardingLabels.LEASE_RING, this.world.ring)
				.endMetadata()
				.withNewSpec()
				.withHolderIdentity(name)
				.withLeaseDurationSeconds(seconds)
				.withAcquireTime(now)
				.withRenewTime(now)
				.endSpec()
				.build())
			.create();
	}

	private String invalid() {
		return this.world.status()
			.conditions()
			.stream()
			.filter((condition) -> "ShardsValid".equals(condition.getType()) && "False".equals(condition.getStatus()))
			.map((condition) -> condition.getMessage())
			.findAny()
			.orElse("");
	}

}
