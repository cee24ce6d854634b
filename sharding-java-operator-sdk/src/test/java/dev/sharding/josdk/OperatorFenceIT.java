package dev.sharding.josdk;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.ConfigMap;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;

import dev.sharding.shard.WriteFencedException;
import dev.sharding.test.spring.ShardingTest;
import dev.sharding.test.spring.TestRing;
import dev.sharding.test.spring.TestShard;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What an operator on java-operator-sdk may still do when an object or the Lease is asked
 * for, without a line of its own about that.
 */
@ShardingTest(main = Secret.class, controlled = ConfigMap.class, sharder = false, classes = CopyOperator.class)
class OperatorFenceIT {

	private final TestRing ring;

	OperatorFenceIT(TestRing ring) {
		this.ring = ring;
	}

	@Test
	void acknowledgesADrainOnlyBetweenReconciles() throws InterruptedException {
		TestShard shard = this.ring.shard();
		CopyOperator.CopyReconciler reconciler = held(shard);
		Secret slow = this.ring.assign(create("slow-drain"), ShardingTest.SHARD);
		assertThat(reconciler.arrived.await(60, TimeUnit.SECONDS)).isTrue();
		shard.drain(slow);
		Awaitility.await()
			.during(Duration.ofMillis(500))
			.atMost(Duration.ofSeconds(30))
			.until(() -> this.ring.isDraining(slow));
		reconciler.released.countDown();
		soon().until(() -> this.ring.ownerOf(slow).isEmpty());
		assertThat(this.ring.isDraining(slow)).isFalse();
		// What the reconcile was about to write when the drain came, it still could.
		soon().until(() -> exists("copy-slow-drain"));
		assertThat(reconciler.failures).isEmpty();
	}

	@Test
	void acknowledgesADrainAtRestAndReconcilesNoMore() {
		TestShard shard = this.ring.shard();
		CopyOperator.CopyReconciler reconciler = held(shard);
		Secret secret = this.ring.assign(create("quick"), ShardingTest.SHARD);
		soon().until(() -> exists("copy-quick"));
		shard.drain(secret);
		soon().until(() -> this.ring.ownerOf(secret).isEmpty());
		assertThat(this.ring.isDraining(secret)).isFalse();
		int before = reconciler.reconciles.get("quick");
		Awaitility.await()
			.during(Duration.ofMillis(500))
			.atMost(Duration.ofSeconds(30))
			.until(() -> reconciler.reconciles.get("quick") == before);
		// It comes back, and is worked on again.
		this.ring.assign(secret, ShardingTest.SHARD);
		soon().until(() -> reconciler.reconciles.get("quick") > before);
	}

	@Test
	void refusesWhatIsWrittenAfterTheLossOfTheLease() throws InterruptedException {
		TestShard shard = this.ring.shard();
		CopyOperator.CopyReconciler reconciler = held(shard);
		this.ring.assign(create("slow-late"), ShardingTest.SHARD);
		assertThat(reconciler.arrived.await(60, TimeUnit.SECONDS)).isTrue();
		shard.loseLease();
		reconciler.released.countDown();
		soon().until(() -> !reconciler.failures.isEmpty());
		assertThat(reconciler.failures).allMatch(WriteFencedException::isIn);
		// The next term reconciles it.
		soon().untilAsserted(() -> assertThat(shard).isRunning());
		soon().until(() -> exists("copy-slow-late"));
	}

	private static CopyOperator.CopyReconciler held(TestShard shard) {
		soon().untilAsserted(() -> assertThat(shard).isRunning());
		CopyOperator.CopyReconciler reconciler = shard.context().getBean(CopyOperator.CopyReconciler.class);
		reconciler.hold();
		return reconciler;
	}

	private boolean exists(String name) {
		return this.ring.client().configMaps().inNamespace(this.ring.name()).withName(name).get() != null;
	}

	private Secret create(String name) {
		return this.ring.client()
			.resource(new SecretBuilder().withNewMetadata()
				.withNamespace(this.ring.name())
				.withName(name)
				.endMetadata()
				.build())
			.create();
	}

	private static ConditionFactory soon() {
		return Awaitility.await().atMost(Duration.ofSeconds(90)).pollInterval(Duration.ofMillis(50));
	}

}
