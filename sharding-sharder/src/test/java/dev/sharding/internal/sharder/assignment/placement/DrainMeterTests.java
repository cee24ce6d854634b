package dev.sharding.internal.sharder.assignment.placement;

import java.time.Duration;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class DrainMeterTests {

	private static final long START = Duration.ofHours(-1).toNanos();

	@Test
	void allowsAllWithoutABudget() {
		DrainMeter meter = new DrainMeter(DrainBudget.NONE);
		for (int i = 0; i < 10_000; i++) {
			assertThat(meter.take(START)).isTrue();
		}
	}

	@Test
	void allowsOneInTwoSeconds() {
		DrainMeter meter = new DrainMeter(new DrainBudget(0.5));
		assertThat(meter.take(START)).isTrue();
		assertThat(meter.take(at(1_999))).isFalse();
		assertThat(meter.take(at(2_000))).isTrue();
		assertThat(meter.take(at(2_000))).isFalse();
		assertThat(meter.take(at(60_000))).isTrue();
		assertThat(meter.take(at(60_000))).isFalse();
	}

	@Property(tries = 200)
	void keepsToTheRateHoweverOftenItIsAsked(@ForAll @DoubleRange(min = 0.01, max = 1_000) double rate,
			@ForAll @IntRange(min = 1, max = 200) int everyMillis) {
		DrainMeter meter = new DrainMeter(new DrainBudget(rate));
		int allowed = 0;
		for (int millis = 0; millis < 20_000; millis += everyMillis) {
			while (meter.take(at(millis))) {
				allowed++;
			}
		}
		assertThat((double) allowed).isLessThanOrEqualTo(20 * rate + Math.max(2, 0.1 * rate));
		if (everyMillis <= 50) {
			assertThat((double) allowed).isGreaterThanOrEqualTo(Math.floor(19 * rate * 0.9));
		}
	}

	@ParameterizedTest
	@ValueSource(doubles = { -1, 0.001, 1e6, Double.NaN, Double.POSITIVE_INFINITY })
	void refusesWhatIsNoBudget(double rate) {
		assertThatIllegalArgumentException().isThrownBy(() -> new DrainBudget(rate))
			.withMessageContaining("'sharding.sharder.drains-per-second' must be 0 or from 0.01 to 10000");
	}

	private static long at(int millis) {
		return START + Duration.ofMillis(millis).toNanos();
	}

}
