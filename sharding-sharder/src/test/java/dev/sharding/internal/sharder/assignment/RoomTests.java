package dev.sharding.internal.sharder.assignment;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RoomTests {

	private final Deque<Runnable> timers = new ArrayDeque<>();

	private final List<CompletableFuture<Void>> work = new ArrayList<>();

	private long now;

	private final Room room = new Room(500, () -> this.now, (task, delay) -> this.timers.add(task));

	@Test
	void isFreeAgainWhenSomethingHasEnded() {
		take(499);
		assertThat(this.room.free()).isCompleted();
		take(1);
		CompletableFuture<Void> free = this.room.free();
		assertThat(free).isNotDone();
		this.work.get(0).complete(null);
		assertThat(free).isCompleted();
		assertThat(this.room.free()).isCompleted();
	}

	@Test
	void isEmptyWhenAllHasEnded() {
		assertThat(this.room.empty()).isCompleted();
		take(2);
		CompletableFuture<Void> empty = this.room.empty();
		this.work.get(0).complete(null);
		assertThat(empty).isNotDone();
		this.work.get(1).completeExceptionally(new IllegalStateException("failed"));
		assertThat(empty).isCompleted();
	}

	@Test
	@DisplayName("Objects whose admission hangs do not stop those that come after them")
	void whatHangsTakesNoRoom() {
		take(500);
		CompletableFuture<Void> free = this.room.free();
		pass(Room.STUCK.minusNanos(1));
		assertThat(free).isNotDone();
		pass(Duration.ofNanos(1));
		assertThat(free).isCompleted();
		// It is waited for all the same.
		assertThat(this.room.empty()).isNotDone();
		take(500);
		assertThat(this.room.free()).isNotDone();
		this.work.get(0).complete(null);
		assertThat(this.room.free()).isNotDone();
		this.work.get(999).complete(null);
		assertThat(this.room.free()).isCompleted();
		this.work.forEach((one) -> one.complete(null));
		assertThat(this.room.empty()).isCompleted();
		take(499);
		assertThat(this.room.free()).isCompleted();
	}

	@Test
	@DisplayName("Whoever waits until all has moved waits for nothing that hangs")
	void isIdleWhenOnlyWhatHangsIsLeft() {
		assertThat(this.room.idle()).isCompleted();
		take(2);
		CompletableFuture<Void> idle = this.room.idle();
		pass(Room.STUCK.dividedBy(2));
		take(1);
		pass(Room.STUCK.dividedBy(2));
		assertThat(idle).isNotDone();
		this.work.get(2).complete(null);
		assertThat(idle).isCompleted();
		assertThat(this.room.empty()).isNotDone();
		take(1);
		CompletableFuture<Void> again = this.room.idle();
		assertThat(again).isNotDone();
		pass(Room.STUCK);
		assertThat(again).isCompleted();
	}

	@Test
	void whatHangsIsBounded() {
		for (int page = 0; page < 20; page++) {
			take(500);
			pass(Room.STUCK);
		}
		CompletableFuture<Void> free = this.room.free();
		pass(Room.STUCK);
		assertThat(free).isNotDone();
		this.work.get(0).complete(null);
		assertThat(free).isCompleted();
	}

	private void take(int count) {
		for (int i = 0; i < count; i++) {
			CompletableFuture<Void> one = new CompletableFuture<>();
			this.work.add(one);
			this.room.take(one);
		}
	}

	/* The timer comes when it is due. */
	private void pass(Duration time) {
		this.now += time.toNanos();
		for (int i = this.timers.size(); i > 0; i--) {
			this.timers.remove().run();
		}
	}

}
