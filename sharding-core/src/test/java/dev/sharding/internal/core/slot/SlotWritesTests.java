package dev.sharding.internal.core.slot;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import dev.sharding.internal.core.lease.LeaseRecord;
import dev.sharding.internal.core.lease.LeaseWrites;
import dev.sharding.protocol.ShardingLabels;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static dev.sharding.internal.core.slot.Slots.givenBack;
import static dev.sharding.internal.core.slot.Slots.held;
import static dev.sharding.internal.core.slot.Slots.holder;
import static dev.sharding.internal.core.slot.Slots.renewed;
import static dev.sharding.internal.core.slot.Slots.stored;
import static dev.sharding.internal.core.slot.Slots.wall;
import static dev.sharding.internal.core.slot.Slots.with;
import static org.assertj.core.api.Assertions.assertThat;

class SlotWritesTests {

	private static final TermProgress TOUCHED = new TermProgress(true, false, false);

	private static final TermProgress SERVED = new TermProgress(true, true, false);

	private static final SlotLease HELD = held(0, "a", 0);

	private static final SlotLease GIVEN_BACK = givenBack(HELD, 100);

	@Test
	void aGiveBackIsMarked() {
		assertThat(HELD.isGivenBack()).isFalse();
		assertThat(GIVEN_BACK.isGivenBack()).isTrue();
		assertThat(GIVEN_BACK.isWaitedFor()).isTrue();
		assertThat(GIVEN_BACK.graceStart()).isEqualTo(wall(100));
		assertThat(GIVEN_BACK.annotations()).containsEntry(ShardingLabels.GIVEN_BACK, "0/2026-01-01T00:01:40Z/uid-0");
	}

	@Test
	void theMarkIsVoidOnceTheLeaseSaysSomethingElse() {
		LeaseRecord record = GIVEN_BACK.record();
		LeaseRecord hold = LeaseWrites.hold(record, Duration.ofSeconds(15), wall(101));
		assertThat(with(GIVEN_BACK, hold).isGivenBack()).as("held by an older sharder").isFalse();
		assertThat(with(GIVEN_BACK, LeaseWrites.release(hold, wall(102))).isGivenBack())
			.as("released by an older sharder")
			.isFalse();
		assertThat(with(GIVEN_BACK, LeaseWrites.release(hold, wall(100))).isGivenBack())
			.as("released by an older sharder at the same time")
			.isFalse();
		assertThat(with(GIVEN_BACK, LeaseWrites.release(record, wall(102))).isGivenBack()).as("written anew").isFalse();
		assertThat(stored(GIVEN_BACK, "uid-copy").isGivenBack()).as("restored from a copy").isFalse();
		assertThat(with(GIVEN_BACK,
				new LeaseRecord(record.name(), "", record.acquireTime(), record.renewTime(), 1, 0, null))
			.isGivenBack()).as("without our annotation").isFalse();
		assertThat(with(HELD, ShardingLabels.GIVEN_BACK, SlotLease.mark(HELD.record(), HELD.uid())).isGivenBack())
			.as("still held")
			.isFalse();
	}

	@Test
	void whoTakesWhatWasGivenBackNeedsNoTouch() {
		SlotLease taken = take(GIVEN_BACK, "b", 101);
		assertThat(taken.record().leaseTransitions()).isEqualTo(1);
		assertThat(taken.record().instanceId()).isEqualTo("b");
		assertThat(taken.isTouchDue()).isFalse();
		assertThat(taken.annotations()).doesNotContainKey(ShardingLabels.GIVEN_BACK);
	}

	/* A holder that was configured otherwise: what the former one noted must not stay. */
	@Test
	void whoTakesOrRenewsNotesItsOwnGraceSlotsAndTemplate() {
		SlotHolder other = new SlotHolder(holder(0, "b").identity(), Duration.ofSeconds(15), Duration.ofSeconds(7), 9,
				"t2");
		SlotHolder plain = new SlotHolder(holder(0, "b").identity(), Duration.ofSeconds(15), Duration.ZERO, 0, null);
		SlotLease taken = SlotWrites.takeOver(HELD, other, "ring", wall(20));
		SlotLease renewed = SlotWrites.renew(HELD, other, "ring", SERVED, wall(20));
		for (SlotLease lease : List.of(taken, renewed)) {
			assertThat(lease.annotations()).containsEntry(ShardingLabels.GRACE, "7")
				.containsEntry(ShardingLabels.SLOTS, "9")
				.containsEntry(ShardingLabels.POD_TEMPLATE_HASH, "t2");
		}
		assertThat(SlotWrites.takeOver(HELD, plain, "ring", wall(20)).annotations())
			.doesNotContainKeys(ShardingLabels.GRACE, ShardingLabels.SLOTS, ShardingLabels.POD_TEMPLATE_HASH);
	}

	@Test
	void whoTakesAnythingElseOwesATouchUntilItIsDone() {
		SlotLease taken = take(HELD, "b", 20);
		assertThat(taken.isTouchDue()).isTrue();
		assertThat(renewed(taken, "b", TermProgress.BEGUN, 21).isTouchDue()).isTrue();
		assertThat(renewed(taken, "b", TOUCHED, 21).isTouchDue()).isFalse();
		assertThat(take(SlotWrites.release(HELD, wall(1)), "b", 20).isTouchDue()).isTrue();
	}

	@Test
	void aTouchThatIsDueOutlivesTheTerm() {
		SlotLease taken = take(HELD, "b", 20);
		SlotLease back = SlotWrites.giveBack(taken, TermProgress.BEGUN, wall(21));
		assertThat(back.isGivenBack()).isTrue();
		assertThat(take(back, "c", 22).isTouchDue()).isTrue();
		assertThat(SlotWrites.giveBack(taken, TOUCHED, wall(21)).isTouchDue()).isFalse();
	}

	@Test
	void whoTakesWhatWasGivenBackWithAWriteUnansweredTakesItAtOnceAndOwesATouch() {
		SlotLease back = SlotWrites.giveBackToTouch(HELD, TOUCHED, wall(21));
		assertThat(back.isGivenBack()).isTrue();
		assertThat(back.isWaitedFor()).isTrue();
		assertThat(back.record()).isEqualTo(SlotWrites.giveBack(HELD, TOUCHED, wall(21)).record());
		assertThat(take(back, "b", 22).isTouchDue()).isTrue();
		assertThat(take(back, "a", 22).isTouchDue()).as("the process that gave it back").isTrue();
		assertThat(renewed(take(back, "b", 22), "b", TOUCHED, 23).isTouchDue()).isFalse();
	}

	@Test
	void aTouchThatIsDueOutlivesALostAnswer() {
		SlotLease taken = take(HELD, "b", 20);
		assertThat(take(taken, "b", 21).isTouchDue()).isTrue();
		assertThat(take(HELD, "a", 21).isTouchDue()).as("its own all the time").isFalse();
	}

	@Test
	void aCreatedLeaseOwesATouchIfObjectsAreThere() {
		assertThat(SlotWrites.create(holder(0, "a"), "ring", true, wall(0)).isTouchDue()).isTrue();
		assertThat(SlotWrites.create(holder(0, "a"), "ring", false, wall(0)).isTouchDue()).isFalse();
	}

	@Test
	void theGraceGoesOnOverTermsThatDoNotServe() {
		SlotLease once = givenBack(HELD, 100);
		SlotLease twice = SlotWrites.giveBack(take(once, "b", 101), TOUCHED, wall(110));
		assertThat(twice.graceStart()).isEqualTo(wall(100));
		assertThat(SlotWrites.giveBack(take(twice, "c", 111), TOUCHED, wall(120)).graceStart()).isEqualTo(wall(100));
		SlotLease served = renewed(take(twice, "c", 111), "c", SERVED, 150);
		assertThat(served.graceStart()).isNull();
		assertThat(SlotWrites.giveBack(served, SERVED, wall(160)).graceStart()).isEqualTo(wall(160));
		assertThat(SlotWrites.giveBack(take(twice, "c", 111), SERVED, wall(160)).graceStart()).isEqualTo(wall(160));
	}

	@Test
	void theGraceOfASlotThatRanOutBeganWithTheLastRenewal() {
		SlotLease taken = take(HELD, "b", 20);
		assertThat(SlotWrites.giveBack(taken, TOUCHED, wall(25)).graceStart()).isEqualTo(wall(0));
		assertThat(take(held(0, "a", 30), "b", 20).graceStart()).as("a clock that is ahead").isEqualTo(wall(20));
	}

	@Test
	void aCrashLoopKeepsTheFirstStart() {
		SlotLease crashed = take(GIVEN_BACK, "b", 101);
		assertThat(take(crashed, "c", 120).graceStart()).isEqualTo(wall(100));
	}

	@Test
	void aMemberStaysSettled() {
		SlotLease settled = with(HELD, ShardingLabels.SETTLED, wall(5).toString());
		assertThat(take(givenBack(settled, 100), "b", 101).settled()).isEqualTo(wall(5));
		assertThat(take(settled, "b", 101).settled()).as("ran out").isEqualTo(wall(5));
		assertThat(take(SlotWrites.release(settled, wall(100)), "b", 101).settled()).isNull();
		SlotLease held = with(settled, LeaseWrites.take(settled.record(), wall(100)));
		assertThat(take(held, "b", 101).settled()).as("an older sharder had it").isNull();
		assertThat(SlotWrites.unmarked(settled)).doesNotContainKey(ShardingLabels.SETTLED);
	}

	@Test
	void tellsThatItsHolderStops() {
		SlotLease stopping = renewed(HELD, "a", new TermProgress(true, true, true), 5);
		assertThat(stopping.isStopping()).isTrue();
		assertThat(renewed(stopping, "a", SERVED, 6).isStopping()).isFalse();
		assertThat(take(stopping, "b", 30).isStopping()).isFalse();
		assertThat(givenBack(stopping, 6).isStopping()).isFalse();
	}

	@Test
	void keepsWhatOthersHaveNoted() {
		SlotLease noted = with(HELD, "other", "thing");
		assertThat(take(noted, "b", 30).annotations()).containsEntry("other", "thing");
		assertThat(givenBack(noted, 30).annotations()).containsEntry("other", "thing");
		assertThat(SlotWrites.release(noted, wall(30)).annotations()).containsEntry("other", "thing");
	}

	@ParameterizedTest
	@CsvSource({ "30, 30", "300, 300", "301, 300", "99999999999, 300", "0, 0", "-5, 0", "x, 0", "'', 0", ", 0" })
	void readsTheGraceWithCare(String text, int seconds) {
		Map<String, String> annotations = (text != null) ? Map.of(ShardingLabels.GRACE, text) : Map.of();
		assertThat(new SlotLease(HELD.record(), "ring", "uid", annotations).grace())
			.isEqualTo(Duration.ofSeconds(seconds));
	}

	@Test
	void timesThatAreNoneAreAbsent() {
		SlotLease odd = with(with(HELD, ShardingLabels.GRACE_START, "soon"), ShardingLabels.SETTLED, "1");
		assertThat(odd.graceStart()).isNull();
		assertThat(odd.settled()).isNull();
	}

	@ParameterizedTest
	@CsvSource({ "true, , GIVE_BACK", "true, PT0S, RUN_OUT", "true, PT14.999S, RUN_OUT",
			"true, PT15S, GIVE_BACK_TO_TOUCH", "true, P30D, GIVE_BACK_TO_TOUCH", "false, , RELEASE",
			"false, PT0S, RELEASE", "false, PT15S, RELEASE" })
	void aTermEndsAsItsWritesAllow(boolean waitedFor, @Nullable Duration unanswered, TermEnd end) {
		assertThat(TermEnd.of(waitedFor, unanswered, Slots.LEASE)).isEqualTo(end);
	}

	private static SlotLease take(SlotLease seen, String instance, double at) {
		return SlotWrites.takeOver(seen, holder(0, instance), "ring", wall(at));
	}

}
