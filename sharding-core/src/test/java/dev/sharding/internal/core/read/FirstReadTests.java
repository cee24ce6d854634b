package dev.sharding.internal.core.read;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

class FirstReadTests {

	@ParameterizedTest
	@CsvSource({ "FILLED, false, ANSWER", "FILLED, true, ANSWER", "FILLING, false, WAIT", "FILLING, true, THREAD",
			"NOT_STARTED, false, NOT_STARTED", "NOT_STARTED, true, NOT_STARTED", "REFUSED, false, REFUSED",
			"REFUSED, true, REFUSED", "CLOSED, false, CLOSED", "CLOSED, true, CLOSED" })
	void decides(Filling filling, boolean threadNeeded, FirstRead expected) {
		assertThat(FirstRead.of(filling, threadNeeded)).isEqualTo(expected);
	}

	@ParameterizedTest
	@EnumSource(Filling.class)
	void neverAnswersFromWhatWasNotFilled(Filling filling) {
		for (boolean threadNeeded : new boolean[] { false, true }) {
			assertThat(FirstRead.of(filling, threadNeeded) == FirstRead.ANSWER).isEqualTo(filling == Filling.FILLED);
		}
	}

	/** Whoever waits must be waiting for something that can come. */
	@ParameterizedTest
	@EnumSource(Filling.class)
	void waitsOnlyForWhatIsUnderWayAndOnlyWhereItIsNotNeeded(Filling filling) {
		assertThat(FirstRead.of(filling, true)).isNotEqualTo(FirstRead.WAIT);
		assertThat(FirstRead.of(filling, false) == FirstRead.WAIT).isEqualTo(filling == Filling.FILLING);
	}

}
