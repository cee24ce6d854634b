package dev.sharding.internal.kubernetes.lease;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A Lease that was read while the caches filled. Lease 15 s, retry period 2 s, without
 * jitter.
 */
class LeaseLookAheadTests {

	private static final String OTHER_INSTANCE = "instance-2";

	private final ManualTime time = new ManualTime();

	private final ScriptedLeaseApi api = new ScriptedLeaseApi();

	private final TestProcess process = new TestProcess(this.time, this.api,
			TestProcess.shardConfig(TestProcess.INSTANCE));

	@Test
	void writesNothingBeforeItIsStarted() {
		this.process.lookAhead();
		seconds(60);
		assertThat(this.api.takeCalls()).containsExactly("get");
		assertThat(this.process.holds()).isFalse();
		assertThat(this.process.status().phase()).isEqualTo(LeaseStatus.Phase.STOPPED);
	}

	@Test
	void createsAtOnceWhatWasNotThere() {
		this.process.lookAhead();
		assertThat(this.api.takeCalls()).containsExactly("get");
		this.process.start();
		assertThat(this.api.takeCalls()).containsExactly("create");
		assertThat(this.process.takeHeard()).containsExactly("acquired 1");
	}

	@Test
	void takesOverAtOnceWhatWasFree() {
		this.api.takenBy(this.time, "", 1, OTHER_INSTANCE);
		this.process.lookAhead();
		assertThat(this.api.takeCalls()).containsExactly("get");
		this.process.start();
		assertThat(this.api.takeCalls()).containsExactly("update");
		assertThat(this.process.takeHeard()).containsExactly("acquired 1");
	}

	@Test
	void looksAgainAtWhatHasChangedSince() {
		this.api.takenBy(this.time, "", 1, OTHER_INSTANCE);
		this.process.lookAhead();
		this.api.takenBy(this.time, "shard-1", 15, OTHER_INSTANCE);
		this.process.start();
		assertThat(this.api.takeCalls()).containsExactly("get", "update", "get");
		seconds(14);
		assertThat(this.process.holds()).isFalse();
		seconds(1);
		assertThat(this.process.holds()).isTrue();
	}

	@Test
	void looksAgainAtOnceAtWhatHasGoneSince() {
		this.api.takenBy(this.time, "", 1, OTHER_INSTANCE);
		this.process.lookAhead();
		this.api.delete();
		this.process.start();
		assertThat(this.api.takeCalls()).containsExactly("get", "update", "get", "create");
		assertThat(this.process.takeHeard()).containsExactly("acquired 1");
	}

	@Test
	void looksAgainAtWhatSomebodyHasCreatedSince() {
		this.process.lookAhead();
		this.api.takenBy(this.time, "shard-1", 15, OTHER_INSTANCE);
		this.process.start();
		assertThat(this.api.takeCalls()).containsExactly("get", "create", "get");
		seconds(14);
		assertThat(this.process.holds()).isFalse();
		seconds(1);
		assertThat(this.process.holds()).isTrue();
	}

	@Test
	void countsFromTheFirstLookForHowLongNobodyHasRenewed() {
		this.api.takenBy(this.time, "shard-1", 15, OTHER_INSTANCE);
		this.process.lookAhead();
		seconds(5);
		this.process.start();
		seconds(9);
		assertThat(this.process.holds()).isFalse();
		seconds(1);
		assertThat(this.process.takeHeard()).containsExactly("acquired 1");
	}

	@Test
	void takesWhatWasGivenBackSinceWithoutAWait() {
		this.api.takenBy(this.time, "shard-1", 15, OTHER_INSTANCE);
		this.process.lookAhead();
		this.api.takenBy(this.time, "", 1, OTHER_INSTANCE);
		this.process.start();
		assertThat(this.process.takeHeard()).containsExactly("acquired 1");
	}

	@Test
	void anAbsenceBeforeTheStartIsNoReasonToCreateALeaseOfAShardThatHasObjects() {
		this.process.inUse().lookAhead();
		seconds(20);
		this.process.start();
		seconds(14);
		assertThat(this.process.holds()).isFalse();
		seconds(3);
		assertThat(this.process.holds()).isTrue();
	}

	@Test
	void looksAgainIfTheFirstLookHasNotReturned() {
		this.process.loop().hangCalls();
		this.process.lookAhead().start();
		this.process.loop().letCallsGo();
		assertThat(this.api.takeCalls()).containsExactly("get", "get", "create");
		assertThat(this.process.takeHeard()).containsExactly("acquired 1");
	}

	@Test
	void looksAgainIfTheFirstLookHasFailed() {
		this.api.failNext(403);
		this.process.lookAhead().start();
		assertThat(this.api.takeCalls()).containsExactly("get", "get", "create");
		assertThat(this.process.takeHeard()).containsExactly("acquired 1");
	}

	private void seconds(long seconds) {
		this.time.advance(Duration.ofSeconds(seconds));
	}

}
