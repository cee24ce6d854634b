package dev.sharding.internal.kubernetes.lease;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import dev.sharding.internal.kubernetes.lease.LeaseStatus.Phase;
import dev.sharding.protocol.ShardingLabels;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Processes of one name: who they are, an annotation of the Lease tells.
 */
class LeaseInstanceTests {

	private static final String OTHER_INSTANCE = "instance-2";

	private final ManualTime time = new ManualTime();

	private final ScriptedLeaseApi api = new ScriptedLeaseApi();

	private final TestProcess process = process(TestProcess.INSTANCE);

	@Test
	void aRestartUnderTheSameNameWaitsForOneDuration() {
		this.process.start();
		this.process.close();
		TestProcess restarted = process(OTHER_INSTANCE).start();
		seconds(14);
		assertThat(restarted.holds()).isFalse();
		seconds(1);
		assertThat(restarted.takeHeard()).containsExactly("acquired 1");
		assertThat(this.api.spec().getLeaseTransitions()).isEqualTo(1);
	}

	@Test
	void theSecondProcessOfOneNameFailsByName() {
		this.process.start();
		TestProcess second = process(OTHER_INSTANCE).start();
		seconds(20);
		assertThat(second.takeHeard()).containsExactly("failed");
		assertThat(second.failure()).isInstanceOf(DuplicateShardNameException.class)
			.hasMessageContaining("default/shard-1")
			.hasMessageContaining(TestProcess.INSTANCE);
		assertThat(second.status().phase()).isEqualTo(Phase.FAILED);
		assertThat(second.reports().held()).isCompletedExceptionally();
		assertThat(this.process.takeHeard()).containsExactly("acquired 1");
		assertThat(this.api.annotations()).containsEntry(ShardingLabels.INSTANCE_ID, TestProcess.INSTANCE);
	}

	@Test
	void aProcessWithoutInstanceIdIsAForeignHolderToo() {
		this.api.takenBy(this.time, "shard-1", 15, null);
		this.process.start();
		seconds(5);
		assertThat(this.process.status().waitingFor()).isEqualTo("shard-1");
		this.api.takenBy(this.time, "shard-1", 15, null);
		seconds(3);
		assertThat(this.process.failure()).hasMessageContaining("unknown");
	}

	@Test
	void aForeignInstanceIdMeansLost() {
		this.process.start();
		this.api.takenBy(this.time, "shard-1", 15, OTHER_INSTANCE);
		seconds(2);
		assertThat(this.process.takeHeard()).containsExactly("acquired 1", "lost 1 other_instance");
		seconds(3);
		this.api.takenBy(this.time, "shard-1", 15, OTHER_INSTANCE);
		seconds(3);
		assertThat(this.process.takeHeard()).containsExactly("failed");
	}

	@Test
	void canBeStartedAgainAfterItGaveUp() {
		this.process.start();
		TestProcess second = process(OTHER_INSTANCE).start();
		seconds(20);
		this.process.release();
		second.start();
		assertThat(second.takeHeard()).containsExactly("failed", "acquired 1");
		assertThat(second.reports().held().join().number()).isEqualTo(1);
	}

	private TestProcess process(String instance) {
		return new TestProcess(this.time, this.api, TestProcess.shardConfig(instance));
	}

	private void seconds(long seconds) {
		this.time.advance(Duration.ofSeconds(seconds));
	}

}
