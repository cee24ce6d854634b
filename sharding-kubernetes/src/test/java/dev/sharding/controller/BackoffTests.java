package dev.sharding.controller;

import java.time.Duration;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class BackoffTests {

	@Test
	void startsWithFiveMillisecondsAndDoubles() {
		assertThat(Backoff.DEFAULT.delayNanos(1, 0)).isEqualTo(Duration.ofMillis(5).toNanos());
		assertThat(Backoff.DEFAULT.delayNanos(2, 0)).isEqualTo(Duration.ofMillis(10).toNanos());
		assertThat(Backoff.DEFAULT.delayNanos(11, 0)).isEqualTo(Duration.ofMillis(5120).toNanos());
	}

	@Test
	void jitterStretchesTheWait() {
		assertThat(Backoff.DEFAULT.delayNanos(2, 0.5)).isEqualTo(Duration.ofMillis(11).toNanos());
	}

	@Test
	void jitterStillSpreadsTheLongestWait() {
		long without = Backoff.DEFAULT.delayNanos(500, 0);
		long with = Backoff.DEFAULT.delayNanos(500, 0.99);
		assertThat(without).isLessThan(with);
		assertThat(with).isBetween(Duration.ofSeconds(990).toNanos(), Duration.ofSeconds(1000).toNanos());
	}

	@Property
	void staysBetweenInitialAndMax(@ForAll @IntRange(min = 1) int failures,
			@ForAll @DoubleRange(min = 0, max = 1, maxIncluded = false) double random) {
		assertThat(Backoff.DEFAULT.delayNanos(failures, random)).isBetween(Duration.ofMillis(5).toNanos(),
				Duration.ofSeconds(1000).toNanos());
	}

	@Property
	void neverShrinksWithAnotherFailure(@ForAll @IntRange(min = 1, max = 200) int failures,
			@ForAll @DoubleRange(min = 0, max = 1, maxIncluded = false) double random) {
		assertThat(Backoff.DEFAULT.delayNanos(failures + 1, random))
			.isGreaterThanOrEqualTo(Backoff.DEFAULT.delayNanos(failures, random));
	}

	@Test
	void constantBackoffStaysConstant() {
		Backoff constant = new Backoff(Duration.ofSeconds(1), Duration.ofSeconds(1), 0);
		assertThat(constant.delayNanos(1, 0.9)).isEqualTo(Duration.ofSeconds(1).toNanos());
		assertThat(constant.delayNanos(40, 0.9)).isEqualTo(Duration.ofSeconds(1).toNanos());
	}

	@Test
	void refusesImpossibleTimes() {
		assertThatIllegalArgumentException().isThrownBy(() -> new Backoff(Duration.ZERO, Duration.ofSeconds(1), 0))
			.withMessage("'initial' must be positive (is PT0S)");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new Backoff(Duration.ofSeconds(2), Duration.ofSeconds(1), 0))
			.withMessageContaining("'max' must not be below 'initial'");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new Backoff(Duration.ofSeconds(1), Duration.ofSeconds(1), 1.5))
			.withMessageContaining("'jitter' must be between 0 and 1");
	}

}
