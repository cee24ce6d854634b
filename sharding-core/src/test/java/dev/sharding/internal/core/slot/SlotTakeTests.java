package dev.sharding.internal.core.slot;

import java.time.Duration;
import java.util.Map;
import java.util.Set;

import dev.sharding.internal.core.lease.LeaseRecord;
import dev.sharding.internal.core.lease.LeaseWrites;
import dev.sharding.internal.core.lease.Moment;
import dev.sharding.protocol.ShardingLabels;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

import static dev.sharding.internal.core.slot.Slots.LEASE;
import static dev.sharding.internal.core.slot.Slots.MOST;
import static dev.sharding.internal.core.slot.Slots.NOW;
import static dev.sharding.internal.core.slot.Slots.at;
import static dev.sharding.internal.core.slot.Slots.givenBack;
import static dev.sharding.internal.core.slot.Slots.held;
import static dev.sharding.internal.core.slot.Slots.renewed;
import static dev.sharding.internal.core.slot.Slots.standby;
import static dev.sharding.internal.core.slot.Slots.stored;
import static dev.sharding.internal.core.slot.Slots.wall;
import static dev.sharding.internal.core.slot.Slots.with;
import static org.assertj.core.api.Assertions.assertThat;

class SlotTakeTests {

	private static final SlotLease HELD = held(0, "a", 0);

	private static final SlotView SEEN = SlotView.absent(at(0)).seen(HELD, MOST, at(0));

	@Test
	void whatWasGivenBackIsFreeAtOnce() {
		assertThat(until(see(givenBack(HELD, 9), 10), 10)).isZero();
	}

	@Test
	void whatRanOutIsFreeWhenItWasSeenUnchangedForADuration() {
		assertThat(until(SEEN, 0)).isEqualTo(LEASE);
		assertThat(until(SEEN, 14)).isEqualTo(Duration.ofSeconds(1));
		assertThat(until(SEEN, 15)).isZero();
		SlotView again = SEEN.seen(with(HELD, "sharding.dev/settled", wall(3).toString()), MOST, at(3));
		assertThat(until(again, 15)).as("a note of somebody else").isZero();
		SlotView renewed = see(renewed(HELD, "a", TermProgress.BEGUN, 9), 9.5);
		assertThat(until(renewed, 15)).isEqualTo(Duration.ofMillis(9_500));
	}

	@Test
	void whatItsHolderWroteBeforeSaysNothingOfTheTime() {
		SlotView old = SlotView.absent(at(1000)).seen(HELD, MOST, at(1000));
		assertThat(until(old, 1000)).isEqualTo(LEASE);
	}

	@Test
	void theWallClockDoesNotCount() {
		Moment later = new Moment(NOW.plusSeconds(3600), at(1).nanos());
		assertThat(SlotTake.untilTakeable(SEEN, standby(0), later)).isEqualTo(Duration.ofSeconds(14));
	}

	@Test
	void whatWasEmptiedOtherwiseIsWaitedFor() {
		LeaseRecord hold = LeaseWrites.hold(givenBack(HELD, 5).record(), LEASE, wall(6));
		SlotLease vacated = with(givenBack(HELD, 5), LeaseWrites.release(hold, wall(8)));
		assertThat(until(see(vacated, 8), 8)).isEqualTo(LEASE);
		assertThat(SlotTake.isNew(see(vacated, 8))).isTrue();
		assertThat(SlotTake.isNew(see(givenBack(HELD, 5), 8))).isFalse();
		LeaseRecord record = renewed(HELD, "a", TermProgress.BEGUN, 6).record();
		SlotLease byHand = with(HELD,
				new LeaseRecord(record.name(), null, record.acquireTime(), record.renewTime(), 1, 0, "a"));
		assertThat(until(see(byHand, 8), 8)).isEqualTo(LEASE);
		assertThat(SlotTake.isNew(see(byHand, 8))).isFalse();
	}

	@Test
	void whatTheSharderHoldsIsFreeWhenItsHoldHasRunOut() {
		SlotLease taken = with(HELD, LeaseWrites.take(HELD.record(), wall(30)));
		assertThat(until(see(taken, 30), 30)).isEqualTo(LEASE.multipliedBy(2));
		assertThat(until(see(taken, 30), 60)).isZero();
	}

	@Test
	void theLongestDurationOfTheTermCounts() {
		SlotLease shortened = with(HELD, LeaseWrites.renew(HELD.record(), Duration.ofSeconds(2), wall(5)));
		assertThat(until(see(shortened, 5), 5)).as("no shorter than the own").isEqualTo(LEASE);
		SlotLease longer = with(HELD, LeaseWrites.renew(HELD.record(), Duration.ofSeconds(40), wall(5)));
		SlotView edited = see(longer, 5).seen(shortened, MOST, at(6));
		assertThat(until(edited, 6)).isEqualTo(Duration.ofSeconds(40));
		SlotLease next = SlotWrites.takeOver(shortened, Slots.holder(0, "b"), "ring", wall(7));
		assertThat(until(edited.seen(next, MOST, at(7)), 7)).as("another term").isEqualTo(LEASE);
		SlotLease absurd = with(HELD, LeaseWrites.renew(HELD.record(), Duration.ofDays(7), wall(5)));
		assertThat(until(see(absurd, 5), 5)).isEqualTo(MOST);
	}

	@Test
	void theTimeCountsOnlyWhileReadsAreAnswered() {
		Standby gap = new Standby("ring", "me", LEASE, Duration.ofSeconds(30), "t1", at(0), at(10), true, Set.of());
		assertThat(SlotTake.untilTakeable(SEEN, gap, at(15))).isEqualTo(Duration.ofSeconds(10));
	}

	@Test
	void anAbsentLeaseIsMadeAtOnceOnlyIfNobodyCanBeAtWork() {
		SlotView never = SlotView.absent(at(0));
		assertThat(until(never, 0)).isEqualTo(LEASE);
		assertThat(until(never.labelled(true), 0)).isEqualTo(LEASE);
		assertThat(until(never.labelled(true), 15)).isZero();
		assertThat(until(never.labelled(false), 0)).isZero();
		assertThat(until(SEEN.gone(at(5)).labelled(false), 5)).as("its holder may not know yet").isEqualTo(LEASE);
		assertThat(until(see(givenBack(HELD, 4), 4).gone(at(5)).labelled(false), 5)).isZero();
		assertThat(until(see(givenBack(HELD, 4), 4).gone(at(5)).labelled(true), 5)).isEqualTo(LEASE);
	}

	@Test
	void aLeaseThatIsThereAgainIsSeenAnew() {
		SlotView again = SEEN.gone(at(5)).seen(HELD, MOST, at(10));
		assertThat(until(again, 15)).isEqualTo(Duration.ofSeconds(10));
		SlotView copy = SEEN.seen(stored(HELD, "copy"), MOST, at(10));
		assertThat(until(copy, 15)).isEqualTo(Duration.ofSeconds(10));
	}

	@Test
	void whatIsNotOursIsNeverTaken() {
		SlotLease other = new SlotLease(HELD.record(), "other", HELD.uid(), HELD.annotations());
		assertThat(SlotTake.untilTakeable(see(other, 0), standby(0), at(1000))).isNull();
		SlotLease none = new SlotLease(HELD.record(), null, HELD.uid(), HELD.annotations());
		assertThat(SlotTake.untilTakeable(see(none, 0), standby(0), at(1000))).isNull();
		LeaseRecord go = new LeaseRecord(HELD.record().name(), "", wall(0), wall(0), 1, 0, null);
		assertThat(SlotTake.untilTakeable(see(with(HELD, go), 0), standby(0), at(1000))).isNull();
	}

	@Test
	void whatTheSharderMadeIsTakenOnceItIsNobodysAnyMore() {
		LeaseRecord empty = new LeaseRecord(HELD.record().name(), null, null, null, null, null, null);
		LeaseRecord hold = LeaseWrites.hold(empty, LEASE, wall(1));
		SlotLease made = with(new SlotLease(hold, "ring", "made", Map.of()), ShardingLabels.MADE_BY_SHARDER, "true");
		assertThat(SlotTake.untilTakeable(see(made, 1), standby(0), at(1000))).as("objects move").isNull();
		SlotLease left = with(made, LeaseWrites.release(hold, wall(8)));
		assertThat(until(see(left, 8), 8)).isEqualTo(LEASE);
		assertThat(until(see(left, 8), 23)).isZero();
		SlotLease taken = SlotWrites.takeOver(left, Slots.holder(0, "b"), "ring", wall(23));
		assertThat(taken.isTouchDue()).isTrue();
		assertThat(taken.annotations()).doesNotContainKey(ShardingLabels.MADE_BY_SHARDER);
		LeaseRecord go = new LeaseRecord(HELD.record().name(), HELD.record().name(), wall(9), wall(9), 15, 2, null);
		assertThat(SlotTake.untilTakeable(see(with(left, go), 9), standby(0), at(1000))).as("a Go shard's").isNull();
	}

	@Test
	void itsOwnIsFreeAtOnce() {
		assertThat(until(see(held(0, "me", 3), 4), 4)).isZero();
	}

	@Test
	void aHolderWhoseClockWasSetBackToItsLastRenewalKeepsItsLease() {
		SlotLease lease = with(HELD, LeaseWrites.renew(HELD.record(), LEASE, HELD.record().renewTime()));
		assertThat(until(SEEN.seen(lease, MOST, at(10)), 20)).isEqualTo(Duration.ofSeconds(5));
	}

	/**
	 * Whatever the clocks and the candidate's looks: whoever renews before its Lease has
	 * run out keeps it.
	 */
	@Property
	void neverTakesFromAHolderThatStillMayAct(@ForAll @IntRange(max = 100_000) int renewedAt,
			@ForAll @IntRange(max = 5_000) int seenLater, @ForAll @IntRange(max = 60_000) int later,
			@ForAll @IntRange(min = -100, max = 100) int skew) {
		Moment sent = at(renewedAt / 1000.0);
		SlotLease lease = with(HELD, LeaseWrites.renew(HELD.record(), LEASE, sent.wall().plusSeconds(skew)));
		Moment seen = at((renewedAt + seenLater) / 1000.0);
		Moment now = at((renewedAt + seenLater + later) / 1000.0);
		SlotView view = SEEN.seen(lease, MOST, seen);
		Duration left = SlotTake.untilTakeable(view, standby(0), now);
		boolean mayAct = now.observedSince(sent).compareTo(LEASE) < 0;
		assertThat(left).isNotNull();
		assertThat(mayAct && left.isZero()).isFalse();
	}

	private static SlotView see(SlotLease lease, double at) {
		return SEEN.seen(lease, MOST, at(at));
	}

	private static Duration until(SlotView view, double now) {
		return SlotTake.untilTakeable(view, standby(0), at(now));
	}

}
