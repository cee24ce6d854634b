package dev.sharding.test.spring;

import java.time.Duration;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Secret;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

@ShardingTest(main = Secret.class, controlled = ConfigMap.class, sharder = false, classes = CopyApplication.class,
		properties = "sharding.shard-name=shard-a")
class WithoutSharderIT {

	private final TestRing ring;

	WithoutSharderIT(TestRing ring) {
		this.ring = ring;
	}

	@Test
	void acknowledgesADrainWhenTheReconcileHasEnded() {
		TestShard shard = this.ring.shard();
		Secret slow = new Secrets(this.ring).create("slow");
		assertThatIllegalArgumentException().isThrownBy(() -> shard.drain(slow));
		this.ring.assign(slow, "shard-a");
		Secrets.soon().until(() -> CopyApplication.SLOW.getArrivedParties() == 1);
		shard.drain(slow);
		Awaitility.await()
			.atMost(Duration.ofSeconds(90))
			.during(Duration.ofMillis(500))
			.until(() -> this.ring.isDraining(slow));
		assertThat(shard).owns(slow);
		CopyApplication.SLOW.arrive();
		Secrets.soon().until(() -> !this.ring.isDraining(slow));
		assertThat(shard).doesNotOwn(slow);
	}

}
