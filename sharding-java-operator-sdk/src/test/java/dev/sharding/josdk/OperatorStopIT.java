package dev.sharding.josdk;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;

import dev.sharding.shard.WriteFencedException;
import dev.sharding.test.spring.ShardingTest;
import dev.sharding.test.spring.TestRing;
import dev.sharding.test.spring.TestShard;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A stop while the operator reconciles.
 */
@ShardingTest(main = Secret.class, controlled = ConfigMap.class, sharder = false, classes = CopyOperator.class)
class OperatorStopIT {

	private final TestRing ring;

	OperatorStopIT(TestRing ring) {
		this.ring = ring;
	}

	@Test
	void waitsForTheReconcileThatRunsAndGivesTheLeaseBackThen() throws InterruptedException {
		TestShard shard = this.ring.startShard("shard-2");
		CopyOperator.CopyReconciler reconciler = reconciling(shard, "slow-stop");
		CompletableFuture<Void> stop = CompletableFuture.runAsync(shard::close);
		soon().during(Duration.ofSeconds(2))
			.atMost(Duration.ofSeconds(30))
			.until(() -> !stop.isDone() && !reconciler.interrupted && holder("shard-2").equals("shard-2"));
		reconciler.released.countDown();
		soon().until(stop::isDone);
		assertThat(reconciler.failures).isEmpty();
		assertThat(holder("shard-2")).isEmpty();
		assertThat(this.ring.client().configMaps().inNamespace(this.ring.name()).withName("copy-slow-stop").get())
			.isNotNull();
	}

	@Test
	void leavesTheLeaseToRunOutIfAReconcileDoesNotEnd() throws InterruptedException {
		TestShard shard = this.ring.startShard("shard-3", "sharding.reconcile.stop-timeout=1s");
		CopyOperator.CopyReconciler reconciler = reconciling(shard, "slow-for-ever");
		shard.close();
		assertThat(reconciler.interrupted).isTrue();
		assertThat(holder("shard-3")).isEqualTo("shard-3");
		reconciler.released.countDown();
		soon().until(() -> !reconciler.failures.isEmpty());
		assertThat(reconciler.failures).allMatch(WriteFencedException::isIn);
	}

	private CopyOperator.CopyReconciler reconciling(TestShard shard, String name) throws InterruptedException {
		soon().untilAsserted(() -> assertThat(shard).isRunning());
		CopyOperator.CopyReconciler reconciler = shard.context().getBean(CopyOperator.CopyReconciler.class);
		Secret secret = this.ring.client()
			.resource(new SecretBuilder().withNewMetadata()
				.withNamespace(this.ring.name())
				.withName(name)
				.endMetadata()
				.build())
			.create();
		this.ring.assign(secret, shard.name());
		assertThat(reconciler.arrived.await(60, TimeUnit.SECONDS)).isTrue();
		return reconciler;
	}

	private String holder(String shard) {
		String holder = this.ring.client()
			.leases()
			.inNamespace(this.ring.name())
			.withName(shard)
			.get()
			.getSpec()
			.getHolderIdentity();
		return (holder != null) ? holder : "";
	}

	/*
	 * The operator of a reconcile that outlives it plans another try, of which its own
	 * timer finds that nobody is there any more.
	 */
	private static ConditionFactory soon() {
		return Awaitility.await()
			.dontCatchUncaughtExceptions()
			.atMost(Duration.ofSeconds(90))
			.pollInterval(Duration.ofMillis(50));
	}

}
