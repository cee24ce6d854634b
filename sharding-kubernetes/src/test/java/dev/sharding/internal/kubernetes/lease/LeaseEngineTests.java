package dev.sharding.internal.kubernetes.lease;

import java.time.Duration;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.sharding.internal.core.lease.Moment;
import dev.sharding.internal.core.lease.RenewalTimings;
import dev.sharding.internal.core.slot.TermProgress;
import dev.sharding.internal.kubernetes.lease.LeaseStatus.Phase;
import dev.sharding.protocol.ShardingLabels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Lease 15 s, renew deadline 10 s, retry period 2 s, without jitter.
 */
class LeaseEngineTests {

	private static final String OTHER_INSTANCE = "instance-2";

	private final ManualTime time = new ManualTime();

	private final ScriptedLeaseApi api = new ScriptedLeaseApi();

	private final TestProcess process = process(TestProcess.INSTANCE);

	@Test
	void createsTheLeaseIfThereIsNone() {
		this.process.start();
		assertThat(this.process.takeHeard()).containsExactly("acquired 1");
		assertThat(this.api.spec().getHolderIdentity()).isEqualTo("shard-1");
		assertThat(this.api.spec().getLeaseDurationSeconds()).isEqualTo(15);
		assertThat(this.api.spec().getLeaseTransitions()).isZero();
		assertThat(this.api.spec().getRenewTime().toInstant()).isEqualTo(this.time.wall());
		assertThat(this.api.labels()).containsEntry(ShardingLabels.LEASE_RING, "ring");
		assertThat(this.api.annotations()).containsEntry(ShardingLabels.INSTANCE_ID, TestProcess.INSTANCE);
		assertThat(this.process.reports().held().join().number()).isEqualTo(1);
	}

	@Test
	void renewsWithOneCallPerRetryPeriodAndKeepsTheAcquireTime() {
		this.process.start();
		ZonedDateTime acquired = this.api.spec().getAcquireTime();
		this.api.takeCalls();
		seconds(2);
		assertThat(this.api.takeCalls()).containsExactly("update");
		seconds(4);
		assertThat(this.api.takeCalls()).containsExactly("update", "update");
		assertThat(this.api.spec().getAcquireTime()).isEqualTo(acquired);
		assertThat(this.api.spec().getRenewTime().toInstant()).isEqualTo(this.time.wall());
		assertThat(this.process.term().number()).isEqualTo(1);
		assertThat(this.process.term().renewed().wall()).isEqualTo(this.time.wall());
		assertThat(this.process.takeHeard()).containsExactly("acquired 1");
	}

	@Test
	void answersAConflictByReadingAndWritingAtOnceAndKeepsWhatOthersWrote() {
		this.process.start();
		this.api.edit((lease) -> lease.editMetadata()
			.addToLabels(ShardingLabels.LEASE_STATE, "ready")
			.addToAnnotations("foreign", "kept")
			.endMetadata());
		this.api.takeCalls();
		seconds(2);
		assertThat(this.api.takeCalls()).containsExactly("update", "get", "update");
		assertThat(this.api.labels()).containsEntry(ShardingLabels.LEASE_STATE, "ready")
			.containsEntry(ShardingLabels.LEASE_RING, "ring");
		assertThat(this.api.annotations()).containsEntry("foreign", "kept");
		assertThat(this.process.term().renewed().wall()).isEqualTo(this.time.wall());
		assertThat(this.process.takeHeard()).containsExactly("acquired 1");
	}

	@Test
	void backsOffWhereATakeOverIsNotFoundThoughTheLeaseIsThere() {
		this.process.start();
		this.process.release();
		this.api.takeCalls();
		this.process.takeHeard();
		this.api.failUpdates(20, 404);
		this.process.start();
		assertThat(this.api.takeCalls()).containsExactly("get", "update", "get", "update");
		assertThat(this.process.status().lastError()).contains("404");
		seconds(300);
		assertThat(this.process.takeHeard()).containsExactly("acquired 2");
	}

	@Test
	void survivesFailuresUntilTheDeadline() {
		this.process.start();
		this.api.failAll(500);
		seconds(7);
		this.api.recover();
		seconds(1);
		assertThat(this.process.takeHeard()).containsExactly("acquired 1");
		assertThat(this.process.term().number()).isEqualTo(1);
		assertThat(this.process.status().failingSince()).isNull();
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 403, 429, 500 })
	void isLostAtTheDeadlineAndJoinsAgain(int status) {
		this.process.start();
		this.api.failAll(status);
		this.time.advance(Duration.ofMillis(9_999));
		assertThat(this.process.holds()).isTrue();
		this.time.advance(Duration.ofMillis(1));
		assertThat(this.process.takeHeard()).containsExactly("acquired 1", "lost 1 deadline");
		assertThat(this.process.holds()).isFalse();
		assertThat(this.process.status().phase()).isEqualTo(Phase.ACQUIRING);
		assertThat(this.process.status().failingSince()).isNotNull();
		assertThat(this.process.status().lastError()).contains("default/shard-1");
		this.api.recover();
		seconds(20);
		assertThat(this.process.takeHeard()).containsExactly("acquired 2");
		assertThat(this.api.spec().getLeaseTransitions()).isEqualTo(1);
	}

	@Test
	void isLostAtTheDeadlineAlthoughTheCallHangs() {
		this.process.start();
		this.process.loop().hangCalls();
		this.time.advance(Duration.ofSeconds(10));
		assertThat(this.process.takeHeard()).containsExactly("acquired 1", "lost 1 deadline");
		seconds(60);
		assertThat(this.process.takeHeard()).isEmpty();
		this.process.loop().letCallsGo();
		seconds(1);
		assertThat(this.process.takeHeard()).containsExactly("acquired 2");
		assertThat(this.process.term().acquired().wall()).isAfterOrEqualTo(this.time.wall().minusSeconds(1));
	}

	@Test
	void countsTheTermFromTheMomentAtWhichTheRenewalWasSent() {
		this.process.start();
		this.process.loop().hangCalls();
		seconds(8);
		this.process.loop().letHangingCallsGo();
		assertThat(this.process.term().renewed().wall()).isEqualTo(this.time.wall().minusSeconds(6));
		seconds(3);
		assertThat(this.process.holds()).isTrue();
		seconds(1);
		assertThat(this.process.holds()).isFalse();
	}

	@Test
	void aSuspendedMachineLosesItsLease() {
		this.process.start();
		this.time.suspend(Duration.ofSeconds(60));
		seconds(2);
		assertThat(this.process.takeHeard()).containsExactly("acquired 1", "lost 1 deadline", "acquired 2");
	}

	@Test
	void aWallClockSetBackDoesNotProlongTheTerm() {
		this.process.start();
		this.time.suspend(Duration.ofHours(-1));
		this.process.loop().hangCalls();
		seconds(10);
		assertThat(this.process.takeHeard()).containsExactly("acquired 1", "lost 1 deadline");
	}

	@Test
	void aStoppedProcessFindsItsTermEndedBeforeItActs() {
		this.process.start();
		LeaseTerm term = this.process.term();
		this.time.stop(Duration.ofSeconds(30));
		assertThat(term.validAt(new Moment(this.time.wall(), this.time.nanos()), Duration.ZERO)).isFalse();
		seconds(1);
		assertThat(this.process.takeHeard()).containsExactly("acquired 1", "lost 1 deadline", "acquired 2");
	}

	@Test
	void anAcquireThatWasUnderWayForTooLongIsWorthNothing() {
		this.process.loop().hangCalls();
		this.process.start();
		this.process.loop().letCallsGo();
		assertThat(this.process.takeHeard()).containsExactly("acquired 1");
		TestProcess late = new TestProcess(this.time, new SlowFirstWrite(new ScriptedLeaseApi(), 11),
				TestProcess.shardConfig(OTHER_INSTANCE));
		late.start();
		assertThat(late.takeHeard()).containsExactly("acquired 1");
		assertThat(late.term().acquired().wall()).isEqualTo(this.time.wall());
	}

	@Test
	void acquiresOnceThoughTheAnswerTookLongerThanARetryPeriod() {
		TestProcess slow = new TestProcess(this.time, new SlowFirstWrite(this.api, 3),
				TestProcess.shardConfig(OTHER_INSTANCE));
		slow.start();
		assertThat(slow.takeHeard()).containsExactly("acquired 1");
		// The first renewal is due by then.
		assertThat(this.api.takeCalls()).containsExactly("get", "create", "update");
		assertThat(this.api.spec().getLeaseTransitions()).isZero();
		assertThat(this.api.spec().getAcquireTime().toInstant()).isEqualTo(slow.term().acquired().wall());
	}

	@Test
	void waitsWhileTheSharderHoldsTheLease() {
		this.api.takenBy(this.time, "shardlease-controller", 30, null);
		this.process.start();
		seconds(29);
		assertThat(this.process.holds()).isFalse();
		assertThat(this.process.status().waitingFor()).isEqualTo("shardlease-controller");
		seconds(1);
		assertThat(this.process.takeHeard()).containsExactly("acquired 1");
		assertThat(this.api.spec().getLeaseTransitions()).isEqualTo(5);
		assertThat(this.process.status().waitingFor()).isNull();
	}

	@Test
	void judgesByItsOwnObservationAndNotByTheClockOfTheHolder() {
		this.time.suspend(Duration.ofDays(-1));
		this.api.takenBy(this.time, "shardlease-controller", 30, null);
		this.time.suspend(Duration.ofDays(2));
		this.process.start();
		seconds(29);
		assertThat(this.process.holds()).isFalse();
		seconds(1);
		assertThat(this.process.holds()).isTrue();
	}

	@Test
	void takesAReleasedLeaseAtOnce() {
		this.api.takenBy(this.time, "", 1, OTHER_INSTANCE);
		this.process.start();
		assertThat(this.process.takeHeard()).containsExactly("acquired 1");
		assertThat(this.api.annotations()).containsEntry(ShardingLabels.INSTANCE_ID, TestProcess.INSTANCE);
	}

	@Test
	void isLostWhenTheSharderTakesTheLeaseAndWaitsForIt() {
		this.process.start();
		this.api.takenBy(this.time, "shardlease-controller", 30, TestProcess.INSTANCE);
		seconds(2);
		assertThat(this.process.takeHeard()).containsExactly("acquired 1", "lost 1 taken_by_sharder");
		seconds(29);
		assertThat(this.process.holds()).isFalse();
		seconds(3);
		assertThat(this.process.takeHeard()).containsExactly("acquired 2");
	}

	@Test
	void acquiresNothingOnceItIsToStop() {
		this.process.start();
		this.api.takenBy(this.time, "shardlease-controller", 30, TestProcess.INSTANCE);
		seconds(2);
		assertThat(this.process.takeHeard()).containsExactly("acquired 1", "lost 1 taken_by_sharder");
		this.process.acquireNoMore();
		this.api.takenBy(this.time, "", 1, null);
		seconds(60);
		assertThat(this.process.takeHeard()).isEmpty();
		assertThat(this.process.status().phase()).isEqualTo(Phase.STOPPED);
	}

	@Test
	void acquiresNothingByWhatItReadsWhileItIsToStop() {
		this.process.loop().hangCalls();
		this.process.start();
		this.process.acquireNoMore();
		this.process.loop().letCallsGo();
		seconds(60);
		assertThat(this.process.takeHeard()).isEmpty();
		assertThat(this.api.exists()).isFalse();
		assertThat(this.process.status().phase()).isEqualTo(Phase.STOPPED);
	}

	@Test
	void holdsOnThoughItIsToStop() {
		this.process.start();
		this.process.acquireNoMore();
		seconds(60);
		assertThat(this.process.holds()).isTrue();
		this.api.takenBy(this.time, "shardlease-controller", 30, TestProcess.INSTANCE);
		seconds(2);
		this.api.takenBy(this.time, "", 1, null);
		seconds(60);
		assertThat(this.process.takeHeard()).containsExactly("acquired 1", "lost 1 taken_by_sharder");
	}

	@Test
	void isLostWhenTheLeaseIsDeletedAndCreatesItAgain() {
		this.process.start();
		this.api.delete();
		seconds(2);
		assertThat(this.process.takeHeard()).containsExactly("acquired 1", "lost 1 absent", "acquired 2");
		assertThat(this.api.exists()).isTrue();
	}

	@Test
	void backsOffWhileItMayNotReadTheLease() {
		this.api.failAll(403);
		this.process.start();
		seconds(60);
		assertThat(this.api.takeCalls()).hasSizeLessThan(9);
		assertThat(this.process.status().lastError()).isEqualTo("Failed to read Lease default/shard-1: 403 scripted");
		this.api.recover();
		seconds(15);
		assertThat(this.process.takeHeard()).containsExactly("acquired 1");
	}

	@Test
	void onlyOneCallIsUnderWayAtATime() {
		this.process.start();
		this.api.takeCalls();
		this.process.loop().hangCalls();
		seconds(30);
		this.process.loop().letCallsGo();
		assertThat(this.api.takeCalls()).startsWith("update", "get", "update").hasSize(3);
	}

	@Test
	void aNoteThatMeetsARenewalIsWrittenWhenThatIsAnswered() {
		this.process.start();
		this.process.loop().hangCalls();
		seconds(2);
		this.api.takeCalls();
		this.process.noteAtOnce(new TermProgress(false, false, true));
		assertThat(this.api.takeCalls()).isEmpty();
		this.process.loop().letCallsGo();
		assertThat(this.api.takeCalls()).containsExactly("update", "update");
		seconds(2);
		assertThat(this.api.takeCalls()).containsExactly("update");
	}

	@Test
	void aStopGivesBackWhatAWriteWithoutAnswerAcquired() {
		TestProcess unanswered = new TestProcess(this.time, new UnansweredCreate(),
				TestProcess.shardConfig(OTHER_INSTANCE));
		unanswered.start();
		assertThat(this.api.spec().getHolderIdentity()).isEqualTo("shard-1");
		assertThat(unanswered.holds()).isFalse();
		unanswered.acquireNoMore();
		this.api.takeCalls();
		assertThat(unanswered.release()).succeedsWithin(Duration.ofSeconds(10));
		assertThat(this.api.takeCalls()).containsExactly("get", "update");
		assertThat(this.api.spec().getHolderIdentity()).isEmpty();
	}

	@Test
	void asksForAThreadAgainWhereNoneCouldBeMade() {
		AtomicBoolean none = new AtomicBoolean(true);
		LeaseCalls calls = new LeaseCalls(this.process.loop(), (call) -> {
			if (none.get()) {
				throw new OutOfMemoryError("unable to create native thread");
			}
			call.run();
		}, new LeaseClock(this.time::wall, this.time::nanos));
		List<LeaseAnswer> answers = new ArrayList<>();
		assertThatExceptionOfType(OutOfMemoryError.class)
			.isThrownBy(() -> calls.send(this.api::get, answers::add, () -> {
			}));
		assertThat(calls.isBusy()).isFalse();
		none.set(false);
		calls.send(this.api::get, answers::add, () -> {
		});
		this.time.settle();
		assertThat(answers).hasSize(1);
	}

	@Test
	void aThrowingListenerStopsNothing() {
		this.process.reports().add(new LeaseListener() {
			@Override
			public void acquired(LeaseTerm term) {
				throw new IllegalStateException("listener");
			}
		});
		this.process.start();
		seconds(60);
		assertThat(this.process.holds()).isTrue();
	}

	@Test
	void aLeaseThatMakesNoSenseStopsNothing() {
		this.process.start();
		ScriptedLeaseApi strange = new ScriptedLeaseApi();
		TestProcess other = new TestProcess(this.time, strange, TestProcess.shardConfig(OTHER_INSTANCE));
		strange.answerNextRead(new Lease());
		other.start();
		assertThat(other.holds()).isFalse();
		seconds(15);
		assertThat(other.takeHeard()).containsExactly("acquired 1");
		strange.edit((lease) -> lease.editMetadata().addToLabels("foreign", "label").endMetadata());
		strange.answerNextRead(new Lease());
		seconds(15);
		assertThat(other.takeHeard()).isEmpty();
		assertThat(other.holds()).isTrue();
	}

	@Test
	void electsALeaderAmongProcessesOfDifferentIdentity() {
		TestProcess first = leader("a").start();
		TestProcess second = leader("b").start();
		seconds(60);
		assertThat(first.holds()).isTrue();
		assertThat(second.holds()).isFalse();
		assertThat(second.status().waitingFor()).isEqualTo("a");
		first.release();
		seconds(2);
		assertThat(second.holds()).isTrue();
		assertThat(this.api.spec().getLeaseTransitions()).isEqualTo(1);
	}

	@Test
	@DisplayName("A candidate that starts right after the Lease of the leader was deleted waits until that one must have ended")
	void doesNotCreateALeaseThatSomebodyMayStillActOn() {
		TestProcess second = leader("b").start();
		seconds(14);
		assertThat(second.holds()).isFalse();
		assertThat(this.api.exists()).isFalse();
		seconds(3);
		assertThat(second.holds()).isTrue();
	}

	@Test
	@DisplayName("A shard that finds objects of its own but no Lease waits until a process of its name must have ended")
	void doesNotCreateALeaseOfAShardThatHasObjects() {
		this.process.inUse().start();
		seconds(14);
		assertThat(this.process.holds()).isFalse();
		seconds(3);
		assertThat(this.process.holds()).isTrue();
	}

	@Test
	void aLeaderWhoseLeaseIsDeletedCreatesItAgainBeforeAnyCandidate() {
		TestProcess first = leader("a").start();
		seconds(17);
		this.api.delete();
		TestProcess second = leader("b").start();
		seconds(3);
		assertThat(first.holds()).isTrue();
		assertThat(second.holds()).isFalse();
	}

	@Test
	@DisplayName("A process does not act beside another one of its name whose renewals hang and whose duration somebody made shorter")
	void doesNotBelieveAForeignDurationThatIsShorterThanItsOwn() {
		this.process.start();
		this.process.loop().hangCalls();
		this.api.edit((lease) -> lease.editSpec().withLeaseDurationSeconds(1).endSpec());
		TestProcess second = process(OTHER_INSTANCE).start();
		for (int i = 0; i < 14; i++) {
			assertThat(second.holds()).isFalse();
			seconds(1);
		}
		assertThat(this.process.holds()).isFalse();
		assertThat(second.holds()).isFalse();
		seconds(3);
		assertThat(second.holds()).isTrue();
	}

	@Test
	@DisplayName("Nor does it once such a Lease was deleted")
	void doesNotBelieveAShorterDurationOfALeaseThatIsGone() {
		this.process.start();
		this.process.loop().hangCalls();
		this.api.edit((lease) -> lease.editSpec().withLeaseDurationSeconds(1).endSpec());
		TestProcess second = process(OTHER_INSTANCE).start();
		this.api.delete();
		seconds(14);
		assertThat(second.holds()).isFalse();
		seconds(5);
		assertThat(second.holds()).isTrue();
	}

	@Test
	void countsInMeters() {
		this.process.start();
		seconds(4);
		this.api.failAll(500);
		seconds(10);
		assertThat(this.process.meters().get("sharding.lease.renewals").timer().count()).isEqualTo(3);
		assertThat(this.process.meters().get("sharding.lease.failures").counter().count()).isGreaterThan(3);
		assertThat(this.process.meters().get("sharding.lease.losses").counter().count()).isEqualTo(1);
		assertThat(this.process.meters().get("sharding.lease.held").gauge().value()).isZero();
	}

	private TestProcess process(String instance) {
		return new TestProcess(this.time, this.api, TestProcess.shardConfig(instance));
	}

	private TestProcess leader(String identity) {
		return new TestProcess(this.time, this.api,
				LeaseHolderConfig.leader("default", "leader", identity, RenewalTimings.DEFAULTS))
			.inUse();
	}

	private void seconds(long seconds) {
		this.time.advance(Duration.ofSeconds(seconds));
	}

	/** A create takes effect, and its answer gets lost. */
	private final class UnansweredCreate implements LeaseApi {

		@Override
		public @Nullable Lease get() {
			return LeaseEngineTests.this.api.get();
		}

		@Override
		public Lease create(Lease lease) {
			LeaseEngineTests.this.api.create(lease);
			throw new LeaseApiException(0, "scripted", null);
		}

		@Override
		public Lease update(Lease lease) {
			return LeaseEngineTests.this.api.update(lease);
		}

	}

	/** The first write takes some seconds. */
	private final class SlowFirstWrite implements LeaseApi {

		private final ScriptedLeaseApi delegate;

		private final int seconds;

		private SlowFirstWrite(ScriptedLeaseApi delegate, int seconds) {
			this.delegate = delegate;
			this.seconds = seconds;
		}

		@Override
		public @Nullable Lease get() {
			return this.delegate.get();
		}

		@Override
		public Lease create(Lease lease) {
			LeaseEngineTests.this.time.stop(Duration.ofSeconds(this.seconds));
			return this.delegate.create(lease);
		}

		@Override
		public Lease update(Lease lease) {
			return this.delegate.update(lease);
		}

	}

}
