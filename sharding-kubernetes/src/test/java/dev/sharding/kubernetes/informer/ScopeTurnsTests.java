package dev.sharding.kubernetes.informer;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ScopeTurnsTests {

	private final ScopeTurns turns = new ScopeTurns();

	@Test
	void isNotDueWhileOthersWriteAllTheTime() {
		for (int version = 1; version < 10; version++) {
			assertThat(this.turns.isDue(String.valueOf(version))).isFalse();
		}
	}

	@Test
	void isDueOnceWhereNothingIsWritten() {
		assertThat(this.turns.isDue("5")).isFalse();
		assertThat(this.turns.isDue("5")).isTrue();
		assertThat(this.turns.isDue("5")).isFalse();
		assertThat(this.turns.isDue("6")).isFalse();
		assertThat(this.turns.isDue("6")).isTrue();
	}

}
