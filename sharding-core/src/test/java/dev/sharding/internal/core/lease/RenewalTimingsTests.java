package dev.sharding.internal.core.lease;

import java.time.Duration;
import java.time.Instant;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNoException;

class RenewalTimingsTests {

	@Test
	void acceptsShortLease() {
		assertThatNoException().isThrownBy(
				() -> new RenewalTimings(Duration.ofSeconds(1), Duration.ofMillis(100), Duration.ofMillis(50), 1.2));
	}

	@ParameterizedTest
	@CsvSource({ "PT2147483647S, 1", "PT15S, 1", "PT15S, 10" })
	void acceptsWhatIsJustAllowed(Duration leaseDuration, double jitterFactor) {
		assertThatNoException().isThrownBy(
				() -> new RenewalTimings(leaseDuration, Duration.ofSeconds(10), Duration.ofMillis(999), jitterFactor));
	}

	@Test
	void whatIsNotGivenFollowsTheDuration() {
		assertThat(RenewalTimings.of(Duration.ofSeconds(15), null, null)).isEqualTo(RenewalTimings.DEFAULTS);
		assertThat(RenewalTimings.of(Duration.ofSeconds(30), Duration.ofSeconds(21), Duration.ofSeconds(3)))
			.isEqualTo(new RenewalTimings(Duration.ofSeconds(30), Duration.ofSeconds(21), Duration.ofSeconds(3), 1.2));
	}

	@Test
	void waitsFromTheRetryPeriodToItsMultiple() {
		assertThat(RenewalTimings.DEFAULTS.retryAfter(0)).isEqualTo(Duration.ofSeconds(2));
		assertThat(RenewalTimings.DEFAULTS.retryAfter(0.5)).isEqualTo(Duration.ofMillis(2200));
		for (double jitter : new double[] { -0.1, 1, Double.NaN }) {
			assertThatIllegalArgumentException().isThrownBy(() -> RenewalTimings.DEFAULTS.retryAfter(jitter))
				.withMessage("'jitter' must be from 0 to less than 1 (is %s)", jitter);
		}
	}

	@Test
	void aLeaseIsLostAtTheDeadlineAfterTheLastSuccess() {
		Moment success = at(5);
		assertThat(RenewalTimings.DEFAULTS.untilLost(success, at(12))).isEqualTo(Duration.ofSeconds(3));
		assertThat(RenewalTimings.DEFAULTS.untilLost(success, at(16))).isEqualTo(Duration.ofSeconds(-1));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"',
			textBlock = """
					PT0S    | PT10S  | PT2S  | 1.2 | 'leaseDuration' must be positive (is 0s)
					PT15S   | PT-1S  | PT2S  | 1.2 | 'renewDeadline' must be positive (is -1s)
					PT15S   | PT10S  | PT0S  | 1.2 | 'retryPeriod' must be positive (is 0s)
					PT1.5S  | PT1S   | PT0.2S| 1.2 | 'leaseDuration' must be whole seconds, at most 2147483647 (is 1.5s)
					PT15S   | PT15S  | PT2S  | 1.2 | 'renewDeadline' must be shorter than 'leaseDuration' (is 15s, not below 15s)
					PT15S   | PT10S  | PT2S  | 0.9 | 'jitterFactor' must be from 1 to 10 (is 0.9)
					PT2147483648S | PT10S | PT2S | 1.2 | 'leaseDuration' must be whole seconds, at most 2147483647 (is 596523h14m8s)
					PT15S   | PT10S  | PT0.1S| 10.1 | 'jitterFactor' must be from 1 to 10 (is 10.1)
					PT15S   | PT10S  | PT2S  | NaN | 'jitterFactor' must be from 1 to 10 (is NaN)
					PT15S   | PT6S   | PT5S  | 1.2 | 'retryPeriod' times 'jitterFactor' must be shorter than 'renewDeadline' (is 5s times 1.2, not below 6s)
					""")
	void namesWhatIsWrong(Duration leaseDuration, Duration renewDeadline, Duration retryPeriod, double jitterFactor,
			String message) {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new RenewalTimings(leaseDuration, renewDeadline, retryPeriod, jitterFactor))
			.withMessage(message);
	}

	private static Moment at(long seconds) {
		return new Moment(Instant.EPOCH, Duration.ofSeconds(seconds).toNanos());
	}

}
