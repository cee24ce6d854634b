package dev.sharding.internal.core.assignment;

import java.time.Duration;
import java.util.List;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class HearingTests {

	private static final Duration SILENCE = Duration.ofSeconds(3);

	private static final long SECOND = Duration.ofSeconds(1).toNanos();

	@Test
	void isOfThePresentUntilTheRingHasBeenSilentForTooLong() {
		Hearing hearing = Hearing.first(0);
		assertThat(hearing.isOfThePresent(3 * SECOND, SILENCE)).isTrue();
		assertThat(hearing.isOfThePresent(3 * SECOND + 1, SILENCE)).isFalse();
	}

	@Test
	void catchesUpFirstWhenItHearsAgain() {
		Hearing hearing = Hearing.first(0).again(14 * SECOND, SILENCE);
		assertThat(hearing.isOfThePresent(14 * SECOND, SILENCE)).isFalse();
		assertThat(hearing.again(14 * SECOND + 1, SILENCE).isOfThePresent(15 * SECOND - 1, SILENCE)).isFalse();
		assertThat(hearing.again(14 * SECOND + 1, SILENCE).isOfThePresent(15 * SECOND, SILENCE)).isTrue();
	}

	@Property
	void isOfThePresentForWhoeverHearsInTimeWhereverTheClockStands(@ForAll long start,
			@ForAll @Size(max = 20) List<@LongRange(min = 0, max = 3_000_000_000L) Long> steps) {
		long now = start;
		Hearing hearing = Hearing.first(now);
		for (long step : steps) {
			now += step;
			assertThat(hearing.isOfThePresent(now, SILENCE)).isTrue();
			hearing = hearing.again(now, SILENCE);
		}
	}

	@Property
	void isNotOfThePresentForASecondAfterASilence(@ForAll long start,
			@ForAll @LongRange(min = 3_000_000_001L, max = 1_000_000_000_000L) long silent,
			@ForAll @Size(min = 1, max = 20) List<@LongRange(min = 0, max = 100_000_000L) Long> steps) {
		long now = start + silent;
		Hearing hearing = Hearing.first(start).again(now, SILENCE);
		long heard = now;
		for (long step : steps) {
			now += step;
			hearing = hearing.again(now, SILENCE);
			assertThat(hearing.isOfThePresent(now, SILENCE)).isEqualTo(now - heard >= SECOND);
		}
	}

}
