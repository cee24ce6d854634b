package dev.sharding.controller;

import java.time.Duration;
import java.time.Instant;

import org.junit.jupiter.api.Test;

import dev.sharding.controller.EventSeries.Action;
import dev.sharding.controller.EventSeries.Content;
import dev.sharding.controller.EventSeries.Step;

import static org.assertj.core.api.Assertions.assertThat;

class EventSeriesTests {

	private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

	private static final Content CONTENT = new Content("uid", "Normal", "Created", "Reconcile", "note");

	private final EventSeries series = new EventSeries();

	@Test
	void aNewEventIsCreated() {
		assertThat(this.series.next(CONTENT, "a", NOW)).isEqualTo(new Step(Action.CREATE, "a", 1));
	}

	@Test
	void theSameEventAgainIsCountedOnTheFirstOne() {
		this.series.next(CONTENT, "a", NOW);
		assertThat(this.series.created(CONTENT, "a", NOW).action()).isEqualTo(Action.WAIT);
		assertThat(this.series.next(CONTENT, "b", NOW.plusSeconds(1))).isEqualTo(new Step(Action.COUNT, "a", 2));
	}

	@Test
	void whatComesBeforeTheEventIsThereIsCountedOnItLater() {
		this.series.next(CONTENT, "a", NOW);
		for (int i = 0; i < 4; i++) {
			assertThat(this.series.next(CONTENT, "b", NOW.plusMillis(i)).action()).isEqualTo(Action.WAIT);
		}
		assertThat(this.series.created(CONTENT, "a", NOW.plusSeconds(1))).isEqualTo(new Step(Action.COUNT, "a", 5));
		assertThat(this.series.next(CONTENT, "b", NOW.plusSeconds(2)).action()).isEqualTo(Action.WAIT);
		assertThat(this.series.next(CONTENT, "b", NOW.plusSeconds(12))).isEqualTo(new Step(Action.COUNT, "a", 7));
	}

	@Test
	void theLateAnswerOfAnEventThatIsForgottenSaysNothing() {
		this.series.next(CONTENT, "a", NOW);
		this.series.forget(CONTENT);
		this.series.next(CONTENT, "b", NOW);
		assertThat(this.series.created(CONTENT, "a", NOW).action()).isEqualTo(Action.WAIT);
		assertThat(this.series.next(CONTENT, "c", NOW).action()).isEqualTo(Action.WAIT);
	}

	@Test
	void anotherNoteIsAnotherEvent() {
		this.series.next(CONTENT, "a", NOW);
		Content other = new Content("uid", "Normal", "Created", "Reconcile", "other note");
		assertThat(this.series.next(other, "b", NOW)).isEqualTo(new Step(Action.CREATE, "b", 1));
	}

	@Test
	void aStormOfOneEventIsSentEveryTenSeconds() {
		int sent = 0;
		Step last = null;
		for (int i = 0; i < 1000; i++) {
			last = this.series.next(CONTENT, "e" + i, NOW.plusMillis(i * 50L));
			if (last.action() == Action.CREATE) {
				this.series.created(CONTENT, last.name(), NOW);
			}
			sent += (last.action() != Action.WAIT) ? 1 : 0;
		}
		assertThat(sent).isBetween(5, 8);
		assertThat(last.count()).isEqualTo(1000);
	}

	@Test
	void anEventThatWasNotSeenForLongIsCreatedAnew() {
		this.series.next(CONTENT, "a", NOW);
		assertThat(this.series.next(CONTENT, "b", NOW.plus(Duration.ofMinutes(7))))
			.isEqualTo(new Step(Action.CREATE, "b", 1));
	}

	@Test
	void anEventThatCouldNotBeWrittenIsCreatedAnew() {
		this.series.next(CONTENT, "a", NOW);
		this.series.forget(CONTENT);
		assertThat(this.series.next(CONTENT, "b", NOW)).isEqualTo(new Step(Action.CREATE, "b", 1));
	}

	@Test
	void remembersABoundedNumberOfEvents() {
		this.series.next(CONTENT, "first", NOW);
		for (int i = 0; i < EventSeries.CAPACITY; i++) {
			this.series.next(new Content("uid" + i, "Normal", "R", "A", "n"), "e" + i, NOW);
		}
		assertThat(this.series.next(CONTENT, "again", NOW).action()).isEqualTo(Action.CREATE);
	}

}
