package dev.sharding.internal.core.lease;

import java.time.Duration;
import java.time.Instant;

import dev.sharding.internal.core.lease.RenewalDecision.Lost;
import dev.sharding.internal.core.lease.RenewalDecision.Renew;
import dev.sharding.internal.core.lease.RenewalDecision.Wait;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class RenewalDecisionTests {

	private static final RenewalTimings TIMINGS = RenewalTimings.DEFAULTS;

	/* An arbitrary start near the overflow, as nanoTime may have it. */
	private static final Moment START = new Moment(Instant.parse("2026-01-01T00:00:00Z"), Long.MAX_VALUE - 1_000);

	@ParameterizedTest(name = "{0}")
	@CsvSource({ "just renewed, 0, 0, 0, WAIT 2000", "retry period not over, 0, 0, 1999, WAIT 1",
			"retry period over, 0, 0, 2000, RENEW", "attempt failed just now, 0, 6000, 6000, WAIT 2000",
			"attempt failed a retry period ago, 0, 6000, 8000, RENEW",
			"wait ends at the deadline, 0, 9000, 9500, WAIT 500", "last chance, 0, 7999, 9999, RENEW",
			"deadline met, 0, 8000, 10000, LOST", "long after the deadline, 0, 0, 60000, LOST" })
	void decides(String scenario, long success, long attempt, long now, String expected) {
		RenewalDecision decision = RenewalDecision.of(at(success), at(attempt), at(now), TIMINGS, 0);
		assertThat(decision).isEqualTo(switch (expected.split(" ")[0]) {
			case "WAIT" -> new Wait(Duration.ofMillis(Long.parseLong(expected.split(" ")[1])));
			case "RENEW" -> new Renew();
			default -> new Lost(Duration.ofMillis(now - success));
		});
	}

	@Test
	void suspendedMachineCounts() {
		Moment resumed = new Moment(START.wall().plusSeconds(10), START.nanos() + 1);
		assertThat(RenewalDecision.of(START, START, resumed, TIMINGS, 0)).isEqualTo(new Lost(Duration.ofSeconds(10)));
	}

	@Test
	void wallClockSetBackDoesNotHelp() {
		Moment setBack = new Moment(START.wall().minusSeconds(3600), START.nanos() + Duration.ofSeconds(10).toNanos());
		assertThat(RenewalDecision.of(START, START, setBack, TIMINGS, 0)).isEqualTo(new Lost(Duration.ofSeconds(10)));
	}

	@Test
	void jitterStretchesWaitUpToFactor() {
		assertThat(TIMINGS.retryAfter(0)).isEqualTo(Duration.ofSeconds(2));
		assertThat(TIMINGS.retryAfter(0.5)).isEqualTo(Duration.ofMillis(2200));
		assertThat(TIMINGS.retryAfter(Math.nextDown(1.0))).isLessThanOrEqualTo(Duration.ofMillis(2400));
		assertThatIllegalArgumentException().isThrownBy(() -> TIMINGS.retryAfter(1))
			.withMessage("'jitter' must be from 0 to less than 1 (is 1.0)");
	}

	@Property
	void neverRenewsOnceLost(@ForAll @LongRange(max = 10_000) long attempt, @ForAll @LongRange(max = 20_000) long now,
			@ForAll @LongRange(max = 20_000) long later,
			@ForAll @DoubleRange(max = 1, maxIncluded = false) double jitter) {
		RenewalDecision decision = RenewalDecision.of(at(0), at(Math.min(attempt, now)), at(now), TIMINGS, jitter);
		assertThat(decision instanceof Lost).isEqualTo(now >= 10_000);
		if (decision instanceof Lost) {
			assertThat(RenewalDecision.of(at(0), at(attempt), at(now + later), TIMINGS, jitter))
				.isInstanceOf(Lost.class);
		}
	}

	@Property
	void afterItsWaitItRenewsOrIsLost(@ForAll @LongRange(max = 9_000) long attempt,
			@ForAll @LongRange(max = 999) long passed,
			@ForAll @DoubleRange(max = 1, maxIncluded = false) double jitter) {
		Moment now = at(attempt + passed);
		if (RenewalDecision.of(at(0), at(attempt), now, TIMINGS, jitter) instanceof Wait wait) {
			assertThat(wait.delay()).isPositive();
			Moment then = new Moment(now.wall().plus(wait.delay()), now.nanos() + wait.delay().toNanos());
			assertThat(RenewalDecision.of(at(0), at(attempt), then, TIMINGS, jitter)).isNotInstanceOf(Wait.class);
			assertThat(TIMINGS.untilLost(at(0), then)).isGreaterThanOrEqualTo(Duration.ZERO);
		}
	}

	private static Moment at(long millis) {
		return new Moment(START.wall().plusMillis(millis), START.nanos() + Duration.ofMillis(millis).toNanos());
	}

}
