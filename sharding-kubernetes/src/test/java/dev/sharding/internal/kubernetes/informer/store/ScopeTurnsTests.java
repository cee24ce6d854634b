package dev.sharding.internal.kubernetes.informer.store;

import java.util.List;

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
		for (String version : List.of("5", "6")) {
			for (int list = 1; list < 20; list++) {
				assertThat(this.turns.isDue(version)).isEqualTo(list == ScopeTurns.SELECTIONS);
			}
		}
	}

}
