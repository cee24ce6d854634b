package dev.sharding.internal.core.slot;

import java.time.Duration;

import dev.sharding.internal.core.lease.Moment;
import dev.sharding.internal.core.slot.GraceDecision.Keep;
import dev.sharding.internal.core.slot.GraceDecision.Take;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

import static dev.sharding.internal.core.slot.Slots.NOW;
import static dev.sharding.internal.core.slot.Slots.at;
import static dev.sharding.internal.core.slot.Slots.givenBack;
import static dev.sharding.internal.core.slot.Slots.held;
import static dev.sharding.internal.core.slot.Slots.holder;
import static dev.sharding.internal.core.slot.Slots.wall;
import static org.assertj.core.api.Assertions.assertThat;

class GraceDecisionTests {

	private static final Duration LONG = Duration.ofHours(1);

	private static final SlotLease BACK = givenBack(held(0, "a", 0), 100);

	@Test
	void keepsUntilTheGraceIsOver() {
		GraceObservation seen = GraceObservation.first(BACK, at(100));
		assertThat(GraceDecision.of(BACK, seen, LONG, at(100))).isEqualTo(new Keep(Duration.ofSeconds(30)));
		assertThat(GraceDecision.of(BACK, seen, LONG, at(129))).isEqualTo(new Keep(Duration.ofSeconds(1)));
		assertThat(GraceDecision.of(BACK, seen, LONG, at(130))).isEqualTo(new Take());
	}

	@Test
	void keepsAsLongAsNobodyElseIsThere() {
		GraceObservation seen = GraceObservation.first(BACK, at(100));
		assertThat(GraceDecision.of(BACK, seen, null, at(1000))).isInstanceOf(Keep.class);
	}

	@Test
	void theGraceRunsOnlyWhileAnotherIsThere() {
		GraceObservation seen = GraceObservation.first(BACK, at(100));
		assertThat(GraceDecision.of(BACK, seen, Duration.ZERO, at(5000))).isEqualTo(new Keep(Duration.ofSeconds(30)));
		assertThat(GraceDecision.of(BACK, seen, Duration.ofSeconds(29), at(5029)))
			.isEqualTo(new Keep(Duration.ofSeconds(1)));
		assertThat(GraceDecision.of(BACK, seen, Duration.ofSeconds(30), at(5030))).isEqualTo(new Take());
	}

	@Test
	void aSharderThatComesLaterGoesByTheWallClock() {
		assertThat(GraceDecision.of(BACK, GraceObservation.first(BACK, at(125)), LONG, at(125)))
			.isEqualTo(new Keep(Duration.ofSeconds(5)));
	}

	@Test
	void aClockThatIsBehindDoesNotMakeItLast() {
		GraceObservation seen = GraceObservation.first(BACK, new Moment(NOW, at(100).nanos()));
		assertThat(GraceDecision.of(BACK, seen, LONG, new Moment(NOW, at(130).nanos()))).isEqualTo(new Take());
	}

	@Test
	void aCrashLoopStartsNoNewOne() {
		SlotLease again = SlotWrites.giveBack(SlotWrites.takeOver(BACK, holder(0, "b"), "ring", wall(110)),
				TermProgress.BEGUN, wall(120));
		GraceObservation seen = GraceObservation.first(BACK, at(100)).next(again, at(120));
		assertThat(GraceDecision.of(again, seen, LONG, at(129))).isEqualTo(new Keep(Duration.ofSeconds(1)));
		assertThat(GraceDecision.of(again, seen, LONG, at(130))).isEqualTo(new Take());
	}

	@Test
	void aTermThatServedStartsOne() {
		SlotLease taken = SlotWrites.takeOver(BACK, holder(0, "b"), "ring", wall(110));
		SlotLease served = SlotWrites.renew(taken, holder(0, "b"), "ring", new TermProgress(true, true, false),
				wall(150));
		GraceObservation seen = GraceObservation.first(BACK, at(100)).next(taken, at(110)).next(served, at(150));
		assertThat(seen.elapsed(at(160))).isZero();
		SlotLease again = givenBack(served, 160);
		assertThat(GraceDecision.of(again, seen.next(again, at(160)), LONG, at(160)))
			.isEqualTo(new Keep(Duration.ofSeconds(30)));
	}

	/** However often a slot is taken by terms that do not serve. */
	@Property
	void lastsForOneGraceAtMost(@ForAll @IntRange(min = 1, max = 20) int terms,
			@ForAll @IntRange(min = -60, max = 60) int skew, @ForAll @IntRange(max = 1_000) int apart) {
		SlotLease lease = SlotWrites.giveBack(held(0, "a", 0), new TermProgress(true, true, true), wall(100 + skew));
		GraceObservation seen = GraceObservation.first(lease, at(100));
		double now = 100;
		for (int term = 0; term < terms && now < 130; term++) {
			String instance = "term-" + term;
			now += apart / 1000.0;
			lease = SlotWrites.takeOver(lease, holder(0, instance), "ring", wall(now + skew));
			seen = seen.next(lease, at(now));
			now += apart / 1000.0;
			lease = SlotWrites.giveBack(lease, TermProgress.BEGUN, wall(now + skew));
			seen = seen.next(lease, at(now));
		}
		assertThat(GraceDecision.of(lease, seen, LONG, at(130))).isEqualTo(new Take());
	}

}
