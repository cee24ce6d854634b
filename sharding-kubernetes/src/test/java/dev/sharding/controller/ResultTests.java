package dev.sharding.controller;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class ResultTests {

	@Test
	void doneAsksForNothing() {
		assertThat(Result.done().isDone()).isTrue();
		assertThat(Result.done().delay()).isNull();
	}

	@Test
	void requeueAsksForAnotherRunAtOnce() {
		assertThat(Result.requeue().isDone()).isFalse();
		assertThat(Result.requeue().delay()).isZero();
	}

	@Test
	void requeueAfterKeepsTheDelay() {
		assertThat(Result.requeueAfter(Duration.ofSeconds(3)).delay()).hasSeconds(3);
		assertThat(Result.requeueAfter(Duration.ofSeconds(3))).isEqualTo(Result.requeueAfter(Duration.ofSeconds(3)))
			.hasToString("requeueAfter(PT3S)");
	}

	@Test
	void refusesADelayThatIsNotPositive() {
		assertThatIllegalArgumentException().isThrownBy(() -> Result.requeueAfter(Duration.ZERO))
			.withMessageContaining("'delay' must be positive (is PT0S)");
	}

}
