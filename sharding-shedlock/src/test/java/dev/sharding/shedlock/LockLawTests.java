package dev.sharding.shedlock;

import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.sharding.internal.core.lease.LeaseObservation;
import dev.sharding.internal.core.lease.LeaseRecord;
import dev.sharding.internal.core.lease.Moment;

import static org.assertj.core.api.Assertions.assertThat;

class LockLawTests {

	private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");

	private static final LeaseRecord HELD = lease("other", 30, NOON, "id");

	@ParameterizedTest
	@ValueSource(longs = { -86_400, 0, 86_400 })
	void isFreeOnceItWasSeenForItsDurationWhateverTheWallClockSays(long off) {
		LeaseObservation seen = LeaseObservation.first(HELD, at(off, 0));
		assertThat(LockLaw.isFree(seen, false, at(off, 0))).isFalse();
		assertThat(LockLaw.isFree(seen, false, at(off, 29))).isFalse();
		assertThat(LockLaw.isFree(seen, false, at(off, 30))).isTrue();
	}

	@Test
	void whatEndedADayAgoByTheWallClockIsFreeAtOnce() {
		long day = Duration.ofDays(1).toSeconds();
		assertThat(LockLaw.isFree(LeaseObservation.first(HELD, at(day + 29, 0)), false, at(day + 29, 0))).isFalse();
		assertThat(LockLaw.isFree(LeaseObservation.first(HELD, at(day + 30, 0)), false, at(day + 30, 0))).isTrue();
	}

	@Test
	void isOverByTheWallClockWhenItsDurationHasPassed() {
		assertThat(LockLaw.isOver(HELD, Duration.ZERO, at(29, 0))).isFalse();
		assertThat(LockLaw.isOver(HELD, Duration.ZERO, at(30, 0))).isTrue();
		LeaseRecord neverRenewed = new LeaseRecord("lock", "other", null, null, 30, 1, "id");
		assertThat(LockLaw.isOver(neverRenewed, Duration.ZERO, at(86_400, 0))).isFalse();
	}

	@Test
	void everyChangeBeginsAnew() {
		LeaseObservation seen = LeaseObservation.first(HELD, at(0, 0))
			.next(lease("other", 30, NOON, "id-2"), at(0, 20));
		assertThat(LockLaw.isFree(seen, false, at(0, 49))).isFalse();
		assertThat(LockLaw.isFree(seen, false, at(0, 50))).isTrue();
	}

	@Test
	void whatWasLockedHereAndDoesNotActIsFree() {
		assertThat(LockLaw.isFree(LeaseObservation.first(HELD, at(0, 0)), true, at(0, 0))).isTrue();
	}

	@Test
	void aHolderThatWasTakenOffByHandMayAct() {
		LeaseObservation seen = LeaseObservation.first(lease("", 30, NOON, "id"), at(0, 0));
		assertThat(LockLaw.isFree(seen, false, at(0, 29))).isFalse();
		assertThat(LockLaw.isFree(seen, false, at(0, 30))).isTrue();
	}

	@Test
	void aDurationThatWasTakenAwayIsALongOne() {
		LeaseRecord without = new LeaseRecord("lock", "other", NOON, NOON, null, 1, "id");
		LeaseObservation seen = LeaseObservation.first(without, at(0, 0));
		assertThat(LockLaw.isFree(seen, false, at(0, 599))).isFalse();
		assertThat(LockLaw.isFree(seen, false, at(0, 600))).isTrue();
	}

	@Test
	void whatIsUnlockedIsFree() {
		assertThat(LockLaw.isFree(LeaseObservation.first(lease("", 1, NOON, null), at(0, 0)), false, at(0, 0)))
			.isTrue();
		LeaseRecord empty = new LeaseRecord("lock", null, null, null, null, null, null);
		assertThat(LockLaw.isFree(LeaseObservation.first(empty, at(0, 0)), false, at(0, 0))).isTrue();
	}

	@Test
	void whatIsUnlockedEarlyIsKeptByTheWallClock() {
		LeaseObservation seen = LeaseObservation.first(lease("", 1, NOON.plusSeconds(20), null), at(0, 0));
		assertThat(LockLaw.isFree(seen, false, at(0, 19))).isFalse();
		assertThat(LockLaw.isFree(seen, true, at(0, 19))).isFalse();
		assertThat(LockLaw.isFree(seen, false, at(0, 20))).isTrue();
	}

	@Test
	void aWallClockThatIsFarBehindKeepsItNoLongerThanWasAskedFor() {
		LeaseObservation seen = LeaseObservation.first(lease("", 1, NOON.plusSeconds(20), null), at(-86_400, 0));
		assertThat(LockLaw.isFree(seen, false, at(-86_400, 19))).isFalse();
		assertThat(LockLaw.isFree(seen, false, at(-86_400, 20))).isTrue();
	}

	@Test
	void whoeverHeldADeletedLeaseMayNotKnow() {
		LeaseObservation seen = LeaseObservation.first(HELD, at(0, 0));
		assertThat(LockLaw.isFreeAbsent(seen, false, at(0, 100), at(0, 129))).isFalse();
		assertThat(LockLaw.isFreeAbsent(seen, false, at(0, 100), at(0, 130))).isTrue();
		assertThat(LockLaw.isFreeAbsent(seen, true, at(0, 100), at(0, 100))).isTrue();
		assertThat(LockLaw.isFreeAbsent(null, false, at(0, 100), at(0, 100))).isTrue();
		LeaseObservation unlocked = LeaseObservation.first(lease("", 1, NOON, null), at(0, 0));
		assertThat(LockLaw.isFreeAbsent(unlocked, false, at(0, 100), at(0, 100))).isTrue();
	}

	private static LeaseRecord lease(String holder, int seconds, Instant renewed, @Nullable String instanceId) {
		return new LeaseRecord("lock", holder, NOON, renewed, seconds, 1, instanceId);
	}

	private static Moment at(long off, long seconds) {
		return new Moment(NOON.plusSeconds(off + seconds), Duration.ofSeconds(seconds).toNanos());
	}

}
