package dev.sharding.demo.chaos;

import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.sharding.judge.Exposure;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class OutcomeTests {

	private static final Schedule SCHEDULE = Schedule.of(new Extent(2, 3, 50, 2, Extent.WINDOW_MILLIS, false), 7);

	private static final Map<Kind, Integer> EIGHT = Map.of(Kind.KILL_SHARD, 5, Kind.PAUSE_SHARD, 3);

	private static final Violation VIOLATION = new Violation(Instant.EPOCH, "unserved", "something");

	private static final Exposure ENOUGH = new Exposure(20, 1, 0, 4, 50, 12);

	@Test
	void passesWhenEnoughHappenedAndNothingWasWrong() {
		Outcome outcome = new Outcome(SCHEDULE, EIGHT, 2, ENOUGH, 0, 12, List.of());
		assertThat(outcome.passed()).isTrue();
		assertThat(verdict(outcome).status()).isZero();
		assertThat(verdict(outcome).json()).isEqualTo(
				"""
						{"seed":7,"minutes":2,"shards":3,"objects":50,"rings":2,"slots":false,"faults":8,"leftOut":2,\
						"handOvers":20,"losses":1,"leaders":0,"relists":4,"updates":50,"reads":12,"lived":0,"violations":0,"kinds":{},\
						"inconclusive":false,"tooLittle":[]}""");
	}

	@Test
	void provesNothingWhenTooLittleOfAnythingHappened() {
		assertInconclusive(new Outcome(SCHEDULE, Map.of(Kind.KILL_SHARD, 7), 2, ENOUGH, 0, 12, List.of()),
				"faults 7 of 8");
		assertInconclusive(with(new Exposure(19, 1, 0, 4, 50, 12)), "handOvers 19 of 20");
		assertInconclusive(with(new Exposure(20, 0, 0, 4, 50, 12)), "losses 0 of 1");
		assertInconclusive(with(new Exposure(20, 1, 0, 3, 50, 12)), "relists 3 of 4");
		assertInconclusive(with(new Exposure(20, 1, 0, 4, 49, 12)), "updates 49 of 50");
		assertInconclusive(with(new Exposure(20, 1, 0, 4, 50, 11)), "reads 11 of 12");
		Schedule ten = Schedule.of(new Extent(10, 3, 50, 2, Extent.WINDOW_MILLIS, false), 7);
		Map<Kind, Integer> all = new EnumMap<>(Kind.class);
		ten.faults().forEach((fault) -> all.merge(fault.kind(), 1, Integer::sum));
		int leaders = (all.get(Kind.KILL_LEADER) + all.get(Kind.STOP_LEADER)) / 2;
		assertThat(leaders).isPositive();
		Exposure enoughForTen = new Exposure(100, 5, leaders, 20, 50, 12);
		assertInconclusive(new Outcome(ten, all, 2, enoughForTen, 0, 12, List.of()), "lived 0 of 1");
		assertThat(new Outcome(ten, all, 2, enoughForTen, 1, 12, List.of()).passed()).isTrue();
		assertInconclusive(new Outcome(ten, all, 2, new Exposure(100, 5, leaders - 1, 20, 50, 12), 1, 12, List.of()),
				"leaders %d of %d".formatted(leaders - 1, leaders));
		all.remove(Kind.KILL_SHARD);
		assertInconclusive(new Outcome(ten, all, 2, enoughForTen, 1, 12, List.of()), "kill-shard 0 of 1");
	}

	@Test
	void failsWithAViolationHoweverLittleHappened() {
		Outcome outcome = new Outcome(SCHEDULE, Map.of(), 0, new Exposure(0, 0, 0, 0, 0, 0), 0, 12, List.of(VIOLATION));
		assertThat(outcome.passed()).isFalse();
		assertThat(verdict(outcome).status()).isEqualTo(1);
		assertThat(verdict(outcome).json())
			.contains("\"violations\":1,\"kinds\":{\"unserved\":1},\"inconclusive\":true");
	}

	@Test
	void tellsWhatWasSeenFirst() {
		Outcome outcome = new Outcome(SCHEDULE, EIGHT, 2, ENOUGH, 0, 12,
				List.of(new Violation(Instant.EPOCH.plusSeconds(1), "later", ""), VIOLATION,
						new Violation(Instant.EPOCH, "atTheSameTime", "")));
		assertThat(outcome.firstKinds()).containsExactly("atTheSameTime", "unserved");
		assertThat(outcome.kinds()).containsExactly("atTheSameTime", "later", "unserved");
		assertThat(new Outcome(SCHEDULE, EIGHT, 2, ENOUGH, 0, 12, List.of()).firstKinds()).isEmpty();
	}

	@Test
	void provesNothingWhereABrokenProgramWasNotSeenToBeOne() {
		Outcome outcome = new Outcome(SCHEDULE, EIGHT, 2, ENOUGH, 0, 12, List.of());
		Controls.Seen caught = new Controls.Seen(Control.NOSY, Set.of("readsOfOthers"), 1);
		Controls.Seen another = new Controls.Seen(Control.ACK, Set.of("lateWrites"), 2);
		Verdict good = new Verdict(outcome, List.of(caught), null);
		assertThat(good.status()).isZero();
		assertThat(good.json()).contains("\"controls\":1,\"controlsCaught\":1");
		Verdict blind = new Verdict(outcome, List.of(caught, another), null);
		assertThat(blind.status()).isEqualTo(3);
		assertThat(blind.json()).contains("\"inconclusive\":true", "\"controls\":2,\"controlsCaught\":1",
				"ack: NOT caught, doubleReconciled was to be seen, first was lateWrites (turn 2)");
	}

	@Test
	void tellsHowOftenWhatIsLeftOfAScheduleFails() {
		Outcome outcome = new Outcome(SCHEDULE, EIGHT, 2, ENOUGH, 0, 12, List.of(VIOLATION));
		assertThat(new Verdict(outcome, List.of(),
				new Shrink.Shrunk<>(SCHEDULE.faults().subList(0, 2), new Shrink.Rate(2, 3), 17))
			.json()).contains("\"shrunkTo\":2,\"shrunkRate\":\"2 of 3\",\"candidates\":17");
	}

	private static Verdict verdict(Outcome outcome) {
		return new Verdict(outcome, List.of(), null);
	}

	private static Outcome with(Exposure exposure) {
		return new Outcome(SCHEDULE, EIGHT, 2, exposure, 0, 12, List.of());
	}

	private static void assertInconclusive(Outcome outcome, String why) {
		assertThat(outcome.tooLittle()).containsExactly(why);
		assertThat(outcome.passed()).isFalse();
		assertThat(verdict(outcome).status()).isEqualTo(3);
	}

}
