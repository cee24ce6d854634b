package dev.sharding.internal.kubernetes.lease;

import java.time.Duration;
import java.time.ZonedDateTime;

import org.junit.jupiter.api.Test;

import dev.sharding.internal.kubernetes.lease.LeaseStatus.Phase;
import dev.sharding.protocol.ShardingLabels;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How a Lease is given back.
 */
class LeaseReleaseTests {

	private final ManualTime time = new ManualTime();

	private final ScriptedLeaseApi api = new ScriptedLeaseApi();

	private final TestProcess process = new TestProcess(this.time, this.api,
			TestProcess.shardConfig(TestProcess.INSTANCE));

	@Test
	void aReleaseClearsTheHolderAndKeepsTheLabels() {
		this.process.start();
		this.api.edit((lease) -> lease.editMetadata().addToLabels("foreign", "kept").endMetadata());
		ZonedDateTime before = this.api.spec().getAcquireTime();
		seconds(1);
		assertThat(this.process.release()).succeedsWithin(Duration.ofSeconds(10));
		assertThat(this.api.spec().getHolderIdentity()).isEmpty();
		assertThat(this.api.spec().getLeaseDurationSeconds()).isEqualTo(1);
		assertThat(this.api.spec().getLeaseTransitions()).isZero();
		assertThat(this.api.spec().getAcquireTime()).isAfter(before);
		assertThat(this.api.labels()).containsEntry(ShardingLabels.LEASE_RING, "ring").containsEntry("foreign", "kept");
		assertThat(this.process.takeHeard()).containsExactly("acquired 1");
		assertThat(this.process.status().phase()).isEqualTo(Phase.STOPPED);
	}

	@Test
	void aReleaseDuringARenewalWaitsForIt() {
		this.process.start();
		this.process.loop().hangCalls();
		seconds(2);
		var released = this.process.release();
		assertThat(this.process.holds()).isFalse();
		seconds(1);
		assertThat(released).isNotDone();
		this.process.loop().letCallsGo();
		assertThat(released).succeedsWithin(Duration.ofSeconds(10));
		assertThat(this.api.spec().getHolderIdentity()).isEmpty();
	}

	@Test
	void aReleaseThatCannotSucceedEndsAtTheDeadline() {
		this.process.start();
		this.api.failAll(500);
		var released = this.process.release();
		seconds(9);
		assertThat(released).isNotDone();
		seconds(1);
		assertThat(released).isCompletedExceptionally();
		assertThat(this.api.spec().getHolderIdentity()).isEqualTo("shard-1");
		assertThat(this.process.status().phase()).isEqualTo(Phase.STOPPED);
	}

	@Test
	void aReleaseDoesNotTouchALeaseThatSomebodyElseHolds() {
		this.process.start();
		this.api.takenBy(this.time, "shardlease-controller", 30, TestProcess.INSTANCE);
		assertThat(this.process.release()).succeedsWithin(Duration.ofSeconds(10));
		assertThat(this.api.spec().getHolderIdentity()).isEqualTo("shardlease-controller");
	}

	@Test
	void aReleaseGivesBackWhatRanOutWhileItWasToStop() {
		this.process.start();
		this.process.acquireNoMore();
		this.api.failAll(500);
		seconds(11);
		assertThat(this.process.takeHeard()).containsExactly("acquired 1", "lost 1 deadline");
		assertThat(this.process.status().phase()).isEqualTo(Phase.STOPPED);
		this.api.recover();
		assertThat(this.process.release()).succeedsWithin(Duration.ofSeconds(10));
		assertThat(this.api.spec().getHolderIdentity()).isEmpty();
	}

	@Test
	void canBeStartedAgainAfterARelease() {
		this.process.start();
		this.process.release();
		this.process.start();
		assertThat(this.process.takeHeard()).containsExactly("acquired 1", "acquired 2");
	}

	private void seconds(long seconds) {
		this.time.advance(Duration.ofSeconds(seconds));
	}

}
