package dev.sharding.internal.sharder.memory;

import java.time.Duration;
import java.util.Random;

import dev.sharding.internal.sharder.memory.MemoryState.Level;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class MemoryLawTests {

	private static final long MIB = 1 << 20;

	private static final long MAX = 100 * MIB;

	private static final long NOW = -5;

	@ParameterizedTest
	@CsvSource({ "FINE, 0, 84, FINE", "FINE, 0, 85, NEAR", "FINE, 0, 100, NEAR", "NEAR, 29, 84, EASING",
			"NEAR, 29, 69, EASING", "NEAR, 30, 69, FINE", "NEAR, 30, 70, EASING", "NEAR, 3000, 70, EASING",
			"EASING, 29, 69, EASING", "EASING, 30, 69, FINE", "EASING, 30, 71, EASING", "EASING, 30, 85, NEAR" })
	void followsTheHeap(Level before, int secondsAgo, int live, Level after) {
		MemoryState state = new MemoryState(before, 0, MAX, NOW - Duration.ofSeconds(secondsAgo).toNanos());
		MemoryState next = MemoryLaw.next(state, live * MIB, MAX, NOW);
		assertThat(next.level()).isEqualTo(after);
		assertThat(next.live()).isEqualTo(live * MIB);
		assertThat(next.nearAt()).isEqualTo((after == Level.NEAR) ? NOW : state.nearAt());
	}

	@Test
	void isFineWithoutABound() {
		assertThat(MemoryLaw.next(MemoryState.UNKNOWN, Long.MAX_VALUE - 1, -1, NOW).isShort()).isFalse();
		assertThat(MemoryLaw.next(MemoryState.UNKNOWN, Long.MAX_VALUE - 1, 0, NOW).isShort()).isFalse();
	}

	/* However the heap goes up and down, it comes to an end no sooner than it may. */
	@Test
	void neverSwings() {
		Random random = new Random(20);
		for (int run = 0; run < 200; run++) {
			MemoryState state = MemoryState.UNKNOWN;
			long now = random.nextLong() / 2;
			for (int look = 0; look < 200; look++) {
				now += Duration.ofMillis(random.nextInt(20_000)).toNanos();
				MemoryState next = MemoryLaw.next(state, random.nextInt(101) * MIB, MAX, now);
				if (next.live() >= 85 * MIB) {
					assertThat(next.level()).isEqualTo(Level.NEAR);
				}
				if (state.isShort() && !next.isShort()) {
					assertThat(next.live()).isLessThan(70 * MIB);
					assertThat(now - state.nearAt()).isGreaterThanOrEqualTo(Duration.ofSeconds(30).toNanos());
				}
				if (!state.isShort() && next.isShort()) {
					assertThat(next.level()).isEqualTo(Level.NEAR);
				}
				state = next;
			}
			assertThat(MemoryLaw.next(state, 0, MAX, now + MemoryLaw.CALM.toNanos()).isShort()).isFalse();
		}
	}

	@Test
	void saysWhatToRaise() {
		assertThat(MemoryLaw.advice(256 * MIB, 512 * MIB)).contains("heap")
			.contains("memory limit of its pod from 512 MiB to 768 MiB")
			.contains("-Xmx from 256 MiB to 384 MiB");
		assertThat(MemoryLaw.advice(36 * MIB, 16_000 * MIB)).endsWith("Raise -Xmx from 36 MiB to 64 MiB");
	}

}
