package dev.sharding.internal.core.slot;

import java.time.Duration;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

import dev.sharding.internal.core.lease.ShardState;
import dev.sharding.internal.core.slot.SharderMark.Election;
import dev.sharding.protocol.ShardingLabels;
import org.junit.jupiter.api.Test;

import static dev.sharding.internal.core.slot.Slots.at;
import static dev.sharding.internal.core.slot.Slots.givenBack;
import static dev.sharding.internal.core.slot.Slots.held;
import static dev.sharding.internal.core.slot.Slots.wall;
import static dev.sharding.internal.core.slot.Slots.with;
import static org.assertj.core.api.Assertions.assertThat;

class SeatTests {

	private static final Duration SETTLE = Duration.ofSeconds(3);

	@Test
	void whatIsWaitedForStaysAMember() {
		SlotLease back = givenBack(held(0, "a", 0), 10);
		assertThat(Seat.of(back, ShardState.DEAD, null)).isEqualTo(Seat.GIVEN_BACK);
		assertThat(Seat.of(back, ShardState.ORPHANED, wall(5))).isEqualTo(Seat.GIVEN_BACK);
		assertThat(Seat.of(with(back, ShardingLabels.GRACE, "0"), ShardState.DEAD, null)).isEqualTo(Seat.NONE);
		assertThat(Seat.of(SlotWrites.release(back, wall(11)), ShardState.DEAD, null)).isEqualTo(Seat.NONE);
	}

	@Test
	void allCountWhileNobodyIsMarked() {
		List<SlotLease> members = List.of(held(0, "a", 0), held(1, "b", 100));
		assertThat(Seat.settledThrough(members)).isNull();
		assertThat(Seat.of(members.get(1), ShardState.READY, null)).isEqualTo(Seat.AVAILABLE);
	}

	@Test
	void whoComesAfterTheLastRingSettles() {
		SlotLease first = settled(held(0, "a", 0), 50);
		SlotLease same = held(1, "b", 49);
		SlotLease late = held(2, "c", 51);
		SlotLease ahead = settled(held(3, "d", 60), 50);
		var through = Seat.settledThrough(List.of(first, same, late, ahead));
		assertThat(through).isEqualTo(wall(50));
		assertThat(Seat.of(first, ShardState.EXPIRED, through)).isEqualTo(Seat.AVAILABLE);
		assertThat(Seat.of(same, ShardState.READY, through)).as("of the same ring, not marked yet")
			.isEqualTo(Seat.AVAILABLE);
		assertThat(Seat.of(late, ShardState.READY, through)).isEqualTo(Seat.SETTLING);
		assertThat(Seat.of(late, ShardState.READY, null)).as("nobody settles").isEqualTo(Seat.AVAILABLE);
		assertThat(Seat.of(ahead, ShardState.READY, through)).as("a clock that is ahead").isEqualTo(Seat.AVAILABLE);
		assertThat(Seat.of(late, ShardState.DEAD, through)).isEqualTo(Seat.NONE);
	}

	@Test
	void aBatchComesInWithItsFirstMark() {
		List<SlotLease> before = List.of(settled(held(0, "a", 0), 50), held(1, "b", 51), held(2, "c", 52));
		List<SlotLease> after = List.of(before.get(0), settled(before.get(1), 55), before.get(2));
		assertThat(seats(before)).containsExactly(Seat.AVAILABLE, Seat.SETTLING, Seat.SETTLING);
		assertThat(seats(after)).containsExactly(Seat.AVAILABLE, Seat.AVAILABLE, Seat.AVAILABLE);
	}

	@Test
	void newcomersWaitUntilNobodyComesForOneSettleTime() {
		Settling first = Settling.NOBODY.next(names("a"), names(), at(0)).next(names("a"), names("b"), at(10));
		assertThat(first.untilSettled(first, SETTLE, at(10))).isEqualTo(SETTLE);
		Settling second = first.next(names("a"), names("b", "c"), at(12));
		assertThat(second.untilSettled(first, SETTLE, at(12))).isEqualTo(SETTLE);
		assertThat(second.next(names("a"), names("b", "c"), at(14)).untilSettled(second, SETTLE, at(15))).isZero();
	}

	@Test
	void newcomersWaitForFiveSettleTimesAtMost() {
		Settling seen = Settling.NOBODY.next(names("a"), names(), at(0));
		for (int i = 0; i < 8; i++) {
			SortedSet<String> arrived = new TreeSet<>(seen.newcomers());
			arrived.add("n" + i);
			seen = seen.next(names("a"), arrived, at(10 + 2 * i));
		}
		assertThat(seen.untilSettled(seen, SETTLE, at(24))).isEqualTo(Duration.ofSeconds(1));
		assertThat(seen.untilSettled(seen, SETTLE, at(25))).isZero();
	}

	@Test
	void aDepartureEndsTheSettling() {
		Settling before = Settling.NOBODY.next(names("a", "b"), names("c"), at(10));
		Settling after = before.next(names("a"), names("c"), at(11));
		assertThat(after.untilSettled(before, SETTLE, at(11))).isZero();
	}

	@Test
	void whereNobodyElseIsThereTheFirstOneDoesNotWait() {
		Settling alone = Settling.NOBODY.next(names(), names("a"), at(10));
		assertThat(alone.untilSettled(Settling.NOBODY, SETTLE, at(10))).isZero();
	}

	@Test
	void withoutNewcomersNothingIsDue() {
		Settling none = Settling.NOBODY.next(names("a"), names("b"), at(0)).next(names("a", "b"), names(), at(5));
		assertThat(none.untilSettled(none, SETTLE, at(5))).isNull();
		assertThat(none.next(names("a", "b"), names("c"), at(60)).untilSettled(none, SETTLE, at(60))).isEqualTo(SETTLE);
	}

	@Test
	void aSharderIsKnownByTheTermThatItLeads() {
		Election ours = new Election("us", 4, "4");
		assertThat(SharderMark.isHonoured(null, ours)).as("no condition").isFalse();
		assertThat(SharderMark.isHonoured(SharderMark.ELECTED, ours)).isTrue();
		assertThat(SharderMark.isHonoured(SharderMark.ELECTED, new Election("us", null, SharderMark.text(null))))
			.isTrue();
		assertThat(SharderMark.isHonoured(SharderMark.ELECTED, new Election("", 4, "4"))).as("nobody leads").isTrue();
		assertThat(SharderMark.isHonoured(SharderMark.ELECTED, new Election("go", 5, "4"))).as("another").isFalse();
		assertThat(SharderMark.isHonoured(SharderMark.ELECTED, Election.NONE)).isFalse();
		assertThat(SharderMark.isHonoured(SharderMark.ELECTED, null)).as("may not be read").isTrue();
	}

	@Test
	void aSharderWithoutElectionIsKnownAsLongAsNobodyIsElected() {
		assertThat(SharderMark.isHonoured(SharderMark.NOT_ELECTED, Election.NONE)).isTrue();
		assertThat(SharderMark.isHonoured(SharderMark.NOT_ELECTED, null)).isTrue();
		assertThat(SharderMark.isHonoured(SharderMark.NOT_ELECTED, new Election("go", 1, null))).isFalse();
	}

	private static List<Seat> seats(List<SlotLease> leases) {
		var through = Seat.settledThrough(leases);
		return leases.stream().map((lease) -> Seat.of(lease, ShardState.READY, through)).toList();
	}

	private static SlotLease settled(SlotLease lease, double at) {
		return with(lease, ShardingLabels.SETTLED, wall(at).toString());
	}

	private static SortedSet<String> names(String... names) {
		return new TreeSet<>(List.of(names));
	}

}
