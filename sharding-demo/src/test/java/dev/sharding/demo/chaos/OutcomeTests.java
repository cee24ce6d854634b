package dev.sharding.demo.chaos;

import java.util.List;

import dev.sharding.judge.Exposure;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class OutcomeTests {

	private static final Schedule SCHEDULE = Schedule.of(new Extent(2, 3, 50, 2, Extent.WINDOW_MILLIS), 7);

	private static final Exposure ENOUGH = new Exposure(20, 1, 0, 4, 50);

	@Test
	void passesWhenEnoughHappenedAndNothingWasWrong() {
		Outcome outcome = new Outcome(SCHEDULE, 8, 2, ENOUGH, List.of());
		assertThat(outcome.passed()).isTrue();
		assertThat(outcome.status()).isZero();
		assertThat(outcome.json()).isEqualTo("""
				{"seed":7,"minutes":2,"shards":3,"objects":50,"rings":2,"faults":8,"leftOut":2,"handOvers":20,\
				"losses":1,"leaders":0,"relists":4,"updates":50,"violations":0,"inconclusive":false,"tooLittle":[]}""");
	}

	@Test
	void provesNothingWhenTooLittleOfAnythingHappened() {
		assertInconclusive(new Outcome(SCHEDULE, 7, 2, ENOUGH, List.of()), "faults 7 of 8");
		assertInconclusive(with(new Exposure(19, 1, 0, 4, 50)), "handOvers 19 of 20");
		assertInconclusive(with(new Exposure(20, 0, 0, 4, 50)), "losses 0 of 1");
		assertInconclusive(with(new Exposure(20, 1, 0, 3, 50)), "relists 3 of 4");
		assertInconclusive(with(new Exposure(20, 1, 0, 4, 49)), "updates 49 of 50");
	}

	@Test
	void failsWithAViolationHoweverLittleHappened() {
		Outcome outcome = new Outcome(SCHEDULE, 0, 0, new Exposure(0, 0, 0, 0, 0), List.of("something"));
		assertThat(outcome.passed()).isFalse();
		assertThat(outcome.status()).isEqualTo(1);
		assertThat(outcome.json()).contains("\"violations\":1,\"inconclusive\":true");
	}

	private static Outcome with(Exposure exposure) {
		return new Outcome(SCHEDULE, 8, 2, exposure, List.of());
	}

	private static void assertInconclusive(Outcome outcome, String why) {
		assertThat(outcome.tooLittle()).containsExactly(why);
		assertThat(outcome.passed()).isFalse();
		assertThat(outcome.status()).isEqualTo(3);
	}

}
