package dev.sharding.internal.core.lease;

import java.time.Duration;
import java.util.Arrays;

import dev.sharding.internal.core.lease.AcquisitionDecision.Create;
import dev.sharding.internal.core.lease.AcquisitionDecision.Duplicate;
import dev.sharding.internal.core.lease.AcquisitionDecision.TakeOver;
import dev.sharding.internal.core.lease.AcquisitionDecision.Wait;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

import static dev.sharding.internal.core.lease.Observed.SHARD;
import static dev.sharding.internal.core.lease.Observed.at;
import static dev.sharding.internal.core.lease.Observed.lease;
import static org.assertj.core.api.Assertions.assertThat;

class AcquisitionDecisionTests {

	private static final Duration OWN = Duration.ofSeconds(15);

	@Test
	@DisplayName("97 an absent Lease is created")
	void createsAbsentLease() {
		assertThat(AcquisitionDecision.of(SHARD, OWN, null, at(0))).isEqualTo(new Create());
	}

	@ParameterizedTest(name = "{0}, absent for {4} s")
	@CsvSource({ "own name and another id, shard-a, other, 15, 0, 15", "own name and no id, shard-a,, 15, 1, 14",
			"the sharder, shardlease-controller, me, 30, 11, 19", "another shard, shard-b, other, 15, 14, 1",
			"own name and another id, shard-a, other, 15, 15, 0", "the sharder, shardlease-controller, me, 30, 30, 0" })
	void createsAnAbsentLeaseThatSomebodyElseHeldOnlyAfterADurationWithoutIt(String scenario, String holder,
			String instanceId, int duration, double absentFor, int left) {
		// Seen at 0, and renewed unseen at 9, just before it was gone.
		LeaseObservation last = LeaseObservation.first(lease(holder, instanceId, 0, duration), at(0));
		AcquisitionDecision decision = AcquisitionDecision.ofAbsent(SHARD, OWN, last, at(10), false,
				at(10 + absentFor));
		assertThat(decision).isEqualTo((left > 0) ? new Wait(Duration.ofSeconds(left)) : new Create());
	}

	@Test
	void createsAnAbsentLeaseAtOnceThatNobodyElseHeld() {
		LeaseObservation released = LeaseObservation.first(givenBack(0), at(0));
		LeaseObservation own = LeaseObservation.first(lease("shard-a", "me", 0, 15), at(0));
		for (LeaseObservation last : Arrays.asList(null, released, own)) {
			assertThat(AcquisitionDecision.ofAbsent(SHARD, OWN, last, at(1), false, at(1))).isEqualTo(new Create());
		}
	}

	@Test
	void createsALeaseThatItNeverSawOnlyWhenNobodyCanActOnItAnyMore() {
		assertThat(AcquisitionDecision.ofAbsent(SHARD, OWN, null, at(1), true, at(1))).isEqualTo(new Wait(OWN));
		assertThat(AcquisitionDecision.ofAbsent(SHARD, OWN, null, at(1), true, at(11)))
			.isEqualTo(new Wait(Duration.ofSeconds(5)));
		assertThat(AcquisitionDecision.ofAbsent(SHARD, OWN, null, at(1), true, at(16))).isEqualTo(new Create());
	}

	@ParameterizedTest
	@NullSource
	@ValueSource(strings = "")
	void takesReleasedLeaseAtOnce(String holder) {
		LeaseObservation seen = LeaseObservation.first(lease(holder, "other", 0, 1), at(0));
		assertThat(AcquisitionDecision.of(SHARD, OWN, seen, at(0))).isEqualTo(new TakeOver());
	}

	@ParameterizedTest
	@NullSource
	@ValueSource(strings = "")
	void waitsForWhoeverHadItsHolderTakenOffByHand(String holder) {
		LeaseObservation held = LeaseObservation.first(lease("shard-a", "other", 2, 15), at(2));
		LeaseObservation seen = held.next(lease(holder, "other", 2, 15), at(3));
		assertThat(AcquisitionDecision.of(SHARD, OWN, seen, at(3))).isEqualTo(new Wait(Duration.ofSeconds(15)));
		assertThat(AcquisitionDecision.of(SHARD, OWN, seen, at(18))).isEqualTo(new TakeOver());
		assertThat(AcquisitionDecision.ofAbsent(SHARD, OWN, seen, at(4), false, at(4)))
			.isEqualTo(new Wait(Duration.ofSeconds(15)));
	}

	@Test
	void takesTheLeaseBackAtOnceWhoseHolderItWas() {
		LeaseObservation seen = LeaseObservation.first(lease("", "me", 2, 15), at(3));
		assertThat(AcquisitionDecision.of(SHARD, OWN, seen, at(3))).isEqualTo(new TakeOver());
	}

	@Test
	void takesALeaseAtOnceThatNobodyEverHeld() {
		LeaseRecord empty = new LeaseRecord("shard-a", null, null, null, null, null, null);
		assertThat(AcquisitionDecision.of(SHARD, OWN, LeaseObservation.first(empty, at(0)), at(0)))
			.isEqualTo(new TakeOver());
	}

	@Test
	void waitsForTheProcessWhoseLeaseWasEmptiedByHand() {
		LeaseRecord emptied = new LeaseRecord("shard-a", null, null, null, null, null, "other");
		LeaseObservation seen = LeaseObservation.first(lease("shard-a", "other", 0, 15), at(0)).next(emptied, at(1));
		assertThat(AcquisitionDecision.of(SHARD, OWN, seen, at(1))).isEqualTo(new Wait(Duration.ofSeconds(15)));
		assertThat(AcquisitionDecision.of(SHARD, OWN, seen, at(16))).isEqualTo(new TakeOver());
	}

	@Test
	void takesItsOwnLeaseAtOnce() {
		LeaseObservation seen = LeaseObservation.first(lease("shard-a", "me", 0, 15), at(0));
		assertThat(AcquisitionDecision.of(SHARD, OWN, seen, at(0))).isEqualTo(new TakeOver());
	}

	@ParameterizedTest(name = "{0}")
	@CsvSource({ "own name and another id, shard-a, other", "own name and no id, shard-a,",
			"126 the sharder, shardlease-controller, me", "another shard, shard-b, other" })
	void waitsUntilForeignRecordWasSeenUnchangedForItsDuration(String scenario, String holder, String instanceId) {
		// The record is older than its duration by its own times: they do not count.
		LeaseObservation seen = LeaseObservation.first(lease(holder, instanceId, -100, 15), at(0))
			.next(lease(holder, instanceId, -100, 15), at(10));
		assertThat(AcquisitionDecision.of(SHARD, OWN, seen, at(0))).isEqualTo(new Wait(Duration.ofSeconds(15)));
		assertThat(AcquisitionDecision.of(SHARD, OWN, seen, at(14))).isEqualTo(new Wait(Duration.ofSeconds(1)));
		assertThat(AcquisitionDecision.of(SHARD, OWN, seen, at(15))).isEqualTo(new TakeOver());
	}

	@ParameterizedTest(name = "{0}")
	@CsvSource({ "its own process before, shard-a, other", "a process of the Go project, shard-a,",
			"the sharder, shardlease-controller, me", "another candidate, shard-b, other" })
	void doesNotBelieveADurationThatIsShorterThanItsOwn(String scenario, String holder, String instanceId) {
		LeaseObservation seen = LeaseObservation.first(lease(holder, instanceId, 0, 1), at(0));
		assertThat(AcquisitionDecision.of(SHARD, OWN, seen, at(1))).isEqualTo(new Wait(Duration.ofSeconds(14)));
		assertThat(AcquisitionDecision.of(SHARD, OWN, seen, at(15))).isEqualTo(new TakeOver());
		assertThat(AcquisitionDecision.ofAbsent(SHARD, OWN, seen, at(2), false, at(3)))
			.isEqualTo(new Wait(Duration.ofSeconds(14)));
	}

	@Test
	void countsAnewFromAnyEditOnWhichProvesNothing() {
		LeaseObservation seen = LeaseObservation.first(lease("shard-a", "other", 0, 60), at(0))
			.next(lease("shard-a", "other", 0, 1), at(10));
		assertThat(seen.moved()).isFalse();
		assertThat(AcquisitionDecision.of(SHARD, OWN, seen, at(10))).isEqualTo(new Wait(OWN));
		assertThat(AcquisitionDecision.of(SHARD, OWN, seen, at(25))).isEqualTo(new TakeOver());
	}

	@Test
	void waitsForDefaultDurationIfRecordHasNone() {
		LeaseRecord lease = new LeaseRecord("shard-a", "shard-a", null, null, null, null, null);
		LeaseObservation seen = LeaseObservation.first(lease, at(0));
		assertThat(AcquisitionDecision.of(SHARD, OWN, seen, at(0))).isEqualTo(new Wait(Duration.ofSeconds(15)));
	}

	@Test
	void failsByNameIfForeignHolderMoves() {
		LeaseObservation seen = LeaseObservation.first(lease("shard-a", "other", 0, 15), at(1))
			.next(lease("shard-a", "other", 2, 15), at(3));
		assertThat(AcquisitionDecision.of(SHARD, OWN, seen, at(3))).isEqualTo(new Duplicate("other"));
	}

	@Test
	void sharderThatRenewsItsHoldIsNoDuplicate() {
		LeaseObservation seen = LeaseObservation.first(lease("shardlease-controller", "me", 0, 30), at(1))
			.next(lease("shardlease-controller", "me", 20, 30), at(21));
		assertThat(AcquisitionDecision.of(SHARD, OWN, seen, at(25))).isEqualTo(new Wait(Duration.ofSeconds(26)));
	}

	@Test
	void holderThatReleasesIsNoDuplicate() {
		LeaseObservation seen = LeaseObservation.first(lease("shard-a", "other", 0, 15), at(1))
			.next(givenBack(2), at(3));
		assertThat(AcquisitionDecision.of(SHARD, OWN, seen, at(3))).isEqualTo(new TakeOver());
	}

	@Test
	void newHolderIsObservedAnew() {
		LeaseObservation seen = LeaseObservation.first(lease("shardlease-controller", "other", 0, 30), at(0))
			.next(lease("shard-a", "other", 20, 15), at(20));
		assertThat(AcquisitionDecision.of(SHARD, OWN, seen, at(20))).isEqualTo(new Wait(Duration.ofSeconds(15)));
	}

	private static LeaseRecord givenBack(double seconds) {
		return LeaseWrites.release(lease("shard-a", "other", 0, 15), at(seconds).wall());
	}

	@Property
	void neverActsBesideHolderThatRenews(@ForAll @IntRange(min = 1, max = 14) int period,
			@ForAll @IntRange(min = 1, max = 10) int renewals) {
		LeaseObservation seen = LeaseObservation.first(lease("shard-a", "other", 0, 15), at(0));
		for (int i = 1; i <= renewals; i++) {
			assertThat(AcquisitionDecision.of(SHARD, OWN, seen, at(i * period))).isInstanceOfAny(Wait.class,
					Duplicate.class);
			seen = seen.next(lease("shard-a", "other", i * period, 15), at(i * period));
		}
	}

}
