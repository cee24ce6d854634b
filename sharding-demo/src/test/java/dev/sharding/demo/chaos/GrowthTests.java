package dev.sharding.demo.chaos;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToLongFunction;

import dev.sharding.demo.chaos.Growth.Sample;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class GrowthTests {

	private static final long MIB = 1024;

	@Test
	void findsNothingInProcessesThatStayAsTheyAreOrSwing() {
		assertThat(Growth.of(samples(30, (minute) -> 200 * MIB, (minute) -> 40, (minute) -> 100))).isEmpty();
		assertThat(Growth
			.of(samples(30, (minute) -> (200 + 30 * (minute % 2)) * MIB, (minute) -> 40 + minute % 7, (minute) -> 100)))
			.isEmpty();
	}

	@Test
	void tellsHowManyLivedForLongEnough() {
		assertThat(Growth.judged(samples(8, (minute) -> 0, (minute) -> 0, (minute) -> 0))).isEqualTo(1);
		assertThat(Growth.judged(samples(7, (minute) -> 0, (minute) -> 0, (minute) -> 0))).isZero();
	}

	@Test
	void isNotMisledByASwingThatEndsHigh() {
		long[] threads = { 64, 61, 63, 57, 57, 58, 64, 60, 63, 64 };
		assertThat(Growth.of(samples(10, (minute) -> 0, (minute) -> threads[minute - 1], (minute) -> 0))).isEmpty();
	}

	@Test
	void findsWhatGrows() {
		assertThat(Growth.of(samples(10, (minute) -> (200 + 4 * minute) * MIB, (minute) -> 40, (minute) -> 100)))
			.singleElement()
			.asString()
			.contains("a-1 (7) needs 4096.0 KiB resident more each minute");
		assertThat(Growth.of(samples(10, (minute) -> 0, (minute) -> 2 * minute, (minute) -> 3 * minute))).hasSize(2);
	}

	@Test
	void letsAProgramWarmUpAndIsNotMisledByOneMinute() {
		assertThat(Growth.of(samples(20, (minute) -> (200 - ((minute < 3) ? 100 : 0)) * MIB, (minute) -> 40,
				(minute) -> (minute == 19) ? 4000 : 100)))
			.isEmpty();
	}

	@Test
	void saysNothingOfProcessesThatDidNotLiveLong() {
		assertThat(Growth.of(samples(7, (minute) -> 100 * minute * MIB, (minute) -> 40, (minute) -> 100))).isEmpty();
	}

	private static List<Sample> samples(int minutes, IntToLongFunction resident, IntToLongFunction threads,
			IntToLongFunction descriptors) {
		List<Sample> samples = new ArrayList<>();
		for (int minute = 1; minute <= minutes; minute++) {
			samples.add(new Sample(minute, "a-1", 7, resident.applyAsLong(minute), threads.applyAsLong(minute),
					descriptors.applyAsLong(minute)));
		}
		return samples;
	}

}
