package dev.sharding.internal.core.slot;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import dev.sharding.internal.core.lease.LeaseWrites;
import dev.sharding.internal.core.slot.SlotDecision.Create;
import dev.sharding.internal.core.slot.SlotDecision.LookUp;
import dev.sharding.internal.core.slot.SlotDecision.Reason;
import dev.sharding.internal.core.slot.SlotDecision.StandBy;
import dev.sharding.internal.core.slot.SlotDecision.Take;
import dev.sharding.protocol.ShardingLabels;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static dev.sharding.internal.core.slot.Slots.LEASE;
import static dev.sharding.internal.core.slot.Slots.MOST;
import static dev.sharding.internal.core.slot.Slots.at;
import static dev.sharding.internal.core.slot.Slots.givenBack;
import static dev.sharding.internal.core.slot.Slots.held;
import static dev.sharding.internal.core.slot.Slots.renewed;
import static dev.sharding.internal.core.slot.Slots.standby;
import static dev.sharding.internal.core.slot.Slots.wall;
import static dev.sharding.internal.core.slot.Slots.with;
import static org.assertj.core.api.Assertions.assertThat;

class SlotChoiceTests {

	/* Two holders for 100 s, and a slot that nobody had. */
	private final List<SlotView> slots = new ArrayList<>(
			List.of(running(0, 100), running(1, 100), SlotView.absent(at(0)).labelled(false)));

	@Test
	void aFirstInstallFillsUpAtOnce() {
		List<SlotView> none = List.of(SlotView.absent(at(0)).labelled(false), SlotView.absent(at(0)).labelled(false));
		assertThat(SlotChoice.of(standby(0), none, at(0))).isEqualTo(new Create(0));
		List<SlotView> one = List.of(running(0, 20), SlotView.absent(at(0)).labelled(false));
		assertThat(SlotChoice.of(standby(20), one, at(20))).isEqualTo(new Create(1));
	}

	@Test
	void looksUpWhetherObjectsAreThereBeforeItMakesALease() {
		List<SlotView> none = List.of(SlotView.absent(at(0)), SlotView.absent(at(0)));
		assertThat(SlotChoice.of(standby(0), none, at(0))).isEqualTo(new LookUp(0));
		List<SlotView> used = List.of(SlotView.absent(at(0)).labelled(true), SlotView.absent(at(0)).labelled(false));
		assertThat(SlotChoice.of(standby(0), used, at(0))).isEqualTo(new Create(1));
		assertThat(SlotChoice.of(standby(0), used, at(15))).isEqualTo(new Create(0));
	}

	@Test
	void takesWhatWasGivenBackAtOnceAndTheOldestFirst() {
		this.slots.set(0, see(givenBack(held(0, "a", 0), 100), 100));
		this.slots.set(1, see(givenBack(held(1, "b", 0), 99), 100));
		assertThat(decide(100, 100)).isEqualTo(new Take(1));
		assertThat(SlotChoice.of(avoiding(100, 1), this.slots, at(100))).isEqualTo(new Take(0));
	}

	@Test
	void takesWhatItHasAlreadyBeforeAnythingElse() {
		this.slots.set(0, see(givenBack(held(0, "a", 0), 99), 100));
		this.slots.set(1, see(held(1, "me", 99), 100));
		assertThat(decide(100, 100)).isEqualTo(new Take(1));
	}

	@Test
	void waitsForASlotBeforeItOpensOne() {
		assertThat(decide(100, 100)).isEqualTo(new StandBy(Reason.SLOT_WAIT, SlotChoice.LONGEST_DELAY));
		assertThat(decide(100, 112)).isEqualTo(new StandBy(Reason.HOLDER_OVERDUE, SlotChoice.LONGEST_DELAY));
		this.slots.set(0, running(0, 130));
		this.slots.set(1, running(1, 130));
		assertThat(decide(100, 129.5)).isEqualTo(new StandBy(Reason.SLOT_WAIT, Duration.ofMillis(500)));
		assertThat(decide(100, 130)).isEqualTo(new Create(2));
	}

	@Test
	void aHolderOfNoMoreThanTheWaitIsNew() {
		this.slots.set(1, SlotView.absent(at(0)).labelled(false));
		this.slots.set(0, running(0, 30));
		assertThat(decide(30, 30)).isEqualTo(new Create(1));
		this.slots.set(0, running(0, 30.5));
		assertThat(decide(30.5, 30.5)).isEqualTo(new StandBy(Reason.SLOT_WAIT, SlotChoice.LONGEST_DELAY));
	}

	@Test
	void ofTwoThatWereGivenBackAtOnceTheLowerNumberComesFirst() {
		this.slots.set(0, see(givenBack(held(0, "a", 0), 100), 100));
		this.slots.set(1, see(givenBack(held(1, "b", 0), 100), 100));
		assertThat(decide(100, 100)).isEqualTo(new Take(0));
	}

	@Test
	void opensNoSlotWhileAHolderIsOverdueAndTakesItsSlotThen() {
		this.slots.set(0, running(0, 130));
		assertThat(decide(50, 111)).isEqualTo(new StandBy(Reason.HOLDER_OVERDUE, SlotChoice.LONGEST_DELAY));
		assertThat(decide(50, 115)).isEqualTo(new Take(1));
	}

	@Test
	void opensNoSlotDuringARollOutForTenMinutes() {
		this.slots.set(0, see(
				with(renewed(held(0, "a", 0), "a", TermProgress.BEGUN, 200), ShardingLabels.POD_TEMPLATE_HASH, "older"),
				200));
		this.slots.set(1, running(1, 200));
		assertThat(decide(100, 200)).isEqualTo(new StandBy(Reason.ROLL_OUT, SlotChoice.LONGEST_DELAY));
		assertThat(decide(-399.5, 200)).isEqualTo(new StandBy(Reason.ROLL_OUT, Duration.ofMillis(500)));
		assertThat(decide(-400, 200)).isEqualTo(new Create(2));
	}

	/* Candidate, holders of slots 0 and 1 with the seconds that they have held them. */
	@ParameterizedTest
	@CsvSource({ "stable, stable, 900, canary, 900, false", "canary, stable, 900, canary, 900, false",
			"stable, stable, 900, stable, 20, false", "canary, stable, 900, stable, 900, true",
			"next, stable, 900, canary, 900, true", "next, stable, 900, next, 20, true",
			"next, stable, 900, next, 600, true", "next, stable, 900, next, 601, false",
			"stable, stable, 900, next, 20, true", "stable, stable, 20, canary, 900, true" })
	void twoTemplatesAreNoRollOutOnceEachIsAtWorkForLongerThanOne(String own, String one, int oneFor, String other,
			int otherFor, boolean rollOut) {
		Standby candidate = new Standby("ring", "me", LEASE, Duration.ofSeconds(30), own, at(950), at(950), true,
				Set.of());
		List<SlotView> held = List.of(of(0, one, oneFor), of(1, other, otherFor), this.slots.get(2));
		// So that nothing but a roll-out keeps it from a new slot.
		assertThat(SlotChoice.of(candidate, held, at(1_000)))
			.isEqualTo(rollOut ? new StandBy(Reason.ROLL_OUT, SlotChoice.LONGEST_DELAY) : new Create(2));
	}

	private static SlotView of(int slot, String template, int seconds) {
		String instance = "holder-" + slot;
		SlotLease lease = renewed(held(slot, instance, 1_000 - seconds), instance, TermProgress.BEGUN, 1_000);
		return see(with(lease, ShardingLabels.POD_TEMPLATE_HASH, template), 1_000);
	}

	@Test
	void anUnknownTemplateIsNoRollOut() {
		Standby unknown = new Standby("ring", "me", LEASE, Duration.ZERO, null, at(100), at(100), true, Set.of());
		assertThat(SlotChoice.of(unknown, this.slots, at(100))).isEqualTo(new Create(2));
	}

	@Test
	void allSlotsAreHeld() {
		assertThat(SlotChoice.of(standby(0), this.slots.subList(0, 2), at(100)))
			.isEqualTo(new StandBy(Reason.ALL_HELD, SlotChoice.LONGEST_DELAY));
	}

	@Test
	void aVacatedSlotCountsAsNew() {
		SlotLease vacated = SlotWrites.release(held(0, "a", 0), wall(50));
		List<SlotView> slots = List.of(see(vacated, 50), running(1, 70));
		assertThat(SlotChoice.of(standby(50), slots, at(70)))
			.isEqualTo(new StandBy(Reason.SLOT_WAIT, SlotChoice.LONGEST_DELAY));
		List<SlotView> later = List.of(see(vacated, 50), running(1, 80));
		assertThat(SlotChoice.of(standby(50), later, at(80))).isEqualTo(new Take(0));
	}

	@Test
	void whatTheSharderHoldsIsNotKnownToBeFree() {
		SlotLease held = held(0, "a", 0);
		List<SlotView> slots = List.of(see(with(held, LeaseWrites.take(held.record(), wall(50))), 50));
		assertThat(SlotChoice.of(standby(50), slots, at(60)))
			.isEqualTo(new StandBy(Reason.NOT_KNOWN_FREE, SlotChoice.LONGEST_DELAY));
	}

	@Test
	void underASharderThatDoesNotKnowSlotsItTakesOnlyEmptyOnes() {
		Standby unknown = new Standby("ring", "me", LEASE, Duration.ZERO, "t1", at(100), at(100), false, Set.of());
		this.slots.set(0, see(givenBack(held(0, "a", 0), 100), 100));
		assertThat(SlotChoice.of(unknown, this.slots, at(100))).isEqualTo(new LookUp(0));
		this.slots.set(0, this.slots.get(0).labelled(true));
		assertThat(SlotChoice.of(unknown, this.slots, at(100))).isEqualTo(new Create(2));
		this.slots.set(2, SlotView.absent(at(0)).labelled(true));
		assertThat(SlotChoice.of(unknown, this.slots, at(100)))
			.isEqualTo(new StandBy(Reason.SHARDER_UNKNOWN, SlotChoice.LONGEST_DELAY));
		this.slots.set(0, this.slots.get(0).labelled(false));
		assertThat(SlotChoice.of(unknown, this.slots, at(100))).isEqualTo(new Take(0));
	}

	@Test
	void leavesAloneWhatItCouldNotServe() {
		List<SlotView> slots = List.of(see(givenBack(held(0, "a", 0), 100), 100));
		assertThat(SlotChoice.of(avoiding(100, 0), slots, at(100)))
			.isEqualTo(new StandBy(Reason.AVOIDED, SlotChoice.LONGEST_DELAY));
	}

	@Test
	void looksAgainWhenASlotMayBeFree() {
		List<SlotView> slots = List.of(see(held(0, "a", 0), 0));
		assertThat(SlotChoice.of(standby(0), slots, at(14.5)))
			.isEqualTo(new StandBy(Reason.HOLDER_OVERDUE, Duration.ofMillis(500)));
	}

	private SlotDecision decide(double since, double now) {
		return SlotChoice.of(standby(since), this.slots, at(now));
	}

	private static Standby avoiding(double since, int slot) {
		return new Standby("ring", "me", LEASE, Duration.ofSeconds(30), "t1", at(since), at(since), true, Set.of(slot));
	}

	private static SlotView running(int slot, double renewed) {
		String instance = "holder-" + slot;
		return see(renewed(held(slot, instance, 0), instance, TermProgress.BEGUN, renewed), renewed);
	}

	private static SlotView see(SlotLease lease, double at) {
		return SlotView.absent(at(at)).seen(lease, MOST, at(at));
	}

}
