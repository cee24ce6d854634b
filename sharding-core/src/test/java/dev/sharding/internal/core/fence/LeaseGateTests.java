package dev.sharding.internal.core.fence;

import java.time.Duration;
import java.time.Instant;

import dev.sharding.internal.core.lease.Moment;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class LeaseGateTests {

	private static final long HOUR = 3_600_000;

	/* An arbitrary start near the overflow, as nanoTime may have it. */
	private static final Moment START = new Moment(Instant.parse("2026-01-01T00:00:00Z"), Long.MAX_VALUE - 1_000);

	@ParameterizedTest
	@CsvSource({ "1, 133", "3, 400", "6, 800", "15, 2000", "60, 2000", "3600, 2000" })
	void marginIsTwoSecondsOrAShareOfAShortLease(int seconds, long millis) {
		Duration margin = LeaseGate.margin(Duration.ofSeconds(seconds));
		assertThat(margin.toMillis()).isEqualTo(millis);
	}

	@ParameterizedTest(name = "lease {0} s: {1} ms monotonic, {2} ms wall")
	@CsvSource({ "15, 0, 0, -1", "15, 12999, 12999, -1", "15, 13000, 0, 0", "15, 0, 13000, 0", "15, 60000, 0, 47000",
			"15, 1, 60000, 47000", "15, 13000, -3600000, 0", "15, 12999, -3600000, -1", "3, 2599, 0, -1",
			"3, 2600, 0, 0", "3, 0, 10000, 7400" })
	void judges(int seconds, long monotonic, long wall, long lateMillis) {
		FenceDecision decision = LeaseGate.judge(START, Duration.ofSeconds(seconds), at(monotonic, wall));
		assertThat(decision).isEqualTo((lateMillis < 0) ? new FenceDecision.Allowed()
				: new FenceDecision.Refused(FenceGate.LEASE, Duration.ofMillis(lateMillis)));
	}

	@Test
	void withoutLeaseNothingIsAllowed() {
		assertThat(LeaseGate.withoutLease()).isEqualTo(new FenceDecision.Refused(FenceGate.LEASE, Duration.ZERO));
	}

	@Property
	void isClosedBeforeTheLeaseEndsOnEitherClock(@ForAll @IntRange(min = 1, max = 3600) int seconds,
			@ForAll @LongRange(min = 0, max = 2 * HOUR) long monotonic,
			@ForAll @LongRange(min = -HOUR, max = 2 * HOUR) long wall) {
		FenceDecision decision = LeaseGate.judge(START, Duration.ofSeconds(seconds), at(monotonic, wall));
		long end = seconds * 1000L;
		if (monotonic >= end || wall >= end) {
			assertThat(decision).isInstanceOf(FenceDecision.Refused.class);
		}
		if (monotonic < end * 13 / 15 && wall < end * 13 / 15) {
			assertThat(decision).isInstanceOf(FenceDecision.Allowed.class);
		}
	}

	@Property
	void doesNotOpenAgainByItself(@ForAll @IntRange(min = 1, max = 60) int seconds,
			@ForAll @LongRange(min = 0, max = 120_000) long monotonic,
			@ForAll @LongRange(min = -HOUR, max = 120_000) long wall,
			@ForAll @LongRange(min = 0, max = 120_000) long later) {
		Duration duration = Duration.ofSeconds(seconds);
		if (LeaseGate.judge(START, duration, at(monotonic, wall)) instanceof FenceDecision.Refused first) {
			FenceDecision next = LeaseGate.judge(START, duration, at(monotonic + later, wall + later));
			assertThat(next).isInstanceOfSatisfying(FenceDecision.Refused.class,
					(refused) -> assertThat(refused.late()).isEqualTo(first.late().plusMillis(later)));
		}
	}

	@Property
	void aRenewalReopensForNoLongerThanTheDurationItHasWritten(@ForAll @IntRange(min = 1, max = 60) int seconds,
			@ForAll @LongRange(min = 0, max = 120_000) long sent,
			@ForAll @LongRange(min = 0, max = 60_000) long after) {
		Moment renewed = at(sent, sent);
		FenceDecision decision = LeaseGate.judge(renewed, Duration.ofSeconds(seconds), at(sent + after, sent + after));
		assertThat(decision instanceof FenceDecision.Allowed).isEqualTo(Duration.ofMillis(after)
			.compareTo(Duration.ofSeconds(seconds).minus(LeaseGate.margin(Duration.ofSeconds(seconds)))) < 0);
	}

	private static Moment at(long monotonicMillis, long wallMillis) {
		return new Moment(START.wall().plusMillis(wallMillis), START.nanos() + monotonicMillis * 1_000_000);
	}

}
