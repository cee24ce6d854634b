package dev.sharding.internal.sharder.assignment.placement;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import dev.sharding.internal.sharder.assignment.placement.PatchQueue.Priority;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class PatchQueueTests {

	private final List<String> started = new ArrayList<>();

	private final List<String> dropped = new ArrayList<>();

	private final List<CompletableFuture<Void>> calls = new ArrayList<>();

	private final Deque<Runnable> timers = new ArrayDeque<>();

	private long now;

	private final PatchQueue queue = new PatchQueue(new InFlightLimit(2), () -> this.now,
			(task, delay) -> this.timers.add(task));

	@Test
	void keepsToItsLimit() {
		submit(Priority.NORMAL, "a", "b", "c");
		assertThat(this.started).containsExactly("a", "b");
		this.calls.get(0).complete(null);
		assertThat(this.started).containsExactly("a", "b", "c");
	}

	@Test
	void startsUrgentCallsFirst() {
		submit(Priority.NORMAL, "a", "b", "c", "d");
		submit(Priority.URGENT, "new");
		this.calls.get(0).complete(null);
		assertThat(this.started).containsExactly("a", "b", "new");
	}

	@Test
	void endsWhatWasBegunBeforeItBeginsMore() {
		submit(Priority.NORMAL, "a", "b");
		submit(Priority.URGENT, "new");
		submit(Priority.LAST_STEP, "last");
		this.calls.get(0).complete(null);
		assertThat(this.started).containsExactly("a", "b", "last");
	}

	@Test
	void goesOnAfterCallsThatFail() {
		submit(Priority.NORMAL, "a", "b", "c");
		this.queue.submit(Priority.URGENT, "secrets", () -> {
			throw new IllegalStateException("cannot start");
		}, () -> {
		});
		this.calls.get(0).completeExceptionally(new IllegalStateException("failed"));
		assertThat(this.started).containsExactly("a", "b", "c");
	}

	@Test
	void doesNotNestCallsThatAreDoneAtOnce() {
		submit(Priority.NORMAL, "a", "b");
		for (int i = 0; i < 100_000; i++) {
			String name = "n" + i;
			this.queue.submit(Priority.NORMAL, "secrets", () -> {
				this.started.add(name);
				return CompletableFuture.completedFuture(null);
			}, () -> {
			});
		}
		this.calls.get(0).complete(null);
		assertThat(this.started).hasSize(100_002);
	}

	@Test
	void startsNothingWhilePaused() {
		this.queue.pause();
		submit(Priority.URGENT, "a");
		assertThat(this.started).isEmpty();
		this.queue.resume();
		assertThat(this.started).containsExactly("a");
	}

	@Test
	void theLongestOfSeveralPausesCounts() {
		this.queue.pause();
		this.queue.pause();
		submit(Priority.URGENT, "a");
		this.queue.resume();
		assertThat(this.started).isEmpty();
		this.queue.resume();
		assertThat(this.started).containsExactly("a");
	}

	@Test
	void dropsOnlyWhatIsNotUrgent() {
		submit(Priority.NORMAL, "a", "b", "c");
		submit(Priority.URGENT, "d");
		this.queue.dropNormal();
		assertThat(this.dropped).containsExactly("c");
		this.calls.get(0).complete(null);
		assertThat(this.started).containsExactly("a", "b", "d");
	}

	@Test
	void endsWhenTheLastCallInFlightHasEnded() {
		submit(Priority.URGENT, "a", "b", "c");
		CompletableFuture<Void> ended = this.queue.close();
		submit(Priority.URGENT, "d");
		assertThat(this.dropped).containsExactly("c", "d");
		this.calls.get(0).complete(null);
		assertThat(ended).isNotDone();
		this.calls.get(1).complete(null);
		assertThat(ended).isCompleted();
		assertThat(this.started).containsExactly("a", "b");
	}

	@Test
	void endsAtOnceWithNothingInFlight() {
		assertThat(this.queue.close()).isCompleted();
	}

	@Test
	@DisplayName("Calls that hang make room for those about another resource, and for none about their own")
	void whatHangsTakesNoRoomFromOtherResources() {
		submit(Priority.URGENT, "a", "b", "c");
		submit(Priority.NORMAL, "configmaps", List.of("d", "e", "f"));
		pass(PatchLanes.HANGS.minusNanos(1));
		assertThat(this.started).containsExactly("a", "b");
		pass(Duration.ofNanos(1));
		assertThat(this.started).containsExactly("a", "b", "d", "e");
		this.calls.get(2).complete(null);
		assertThat(this.started).containsExactly("a", "b", "d", "e", "f");
	}

	@Test
	void countsWhatHangs() {
		submit(Priority.URGENT, "a", "b", "c");
		assertThat(this.queue.hanging()).isZero();
		pass(PatchLanes.HANGS);
		assertThat(this.queue.hanging()).isEqualTo(2);
		this.calls.get(0).complete(null);
		assertThat(this.queue.hanging()).isOne();
		this.calls.get(1).complete(null);
		assertThat(this.queue.hanging()).isZero();
	}

	@Test
	@DisplayName("A resource of which a call hung has a small room of its own until one is answered soon")
	void asksAboutAResourceThatHangsNowAndThen() {
		submit(Priority.URGENT, "a", "b", "c", "d", "e", "f");
		pass(PatchLanes.HANGS.multipliedBy(10));
		this.calls.get(0).complete(null);
		assertThat(this.started).containsExactly("a", "b", "c");
		submit(Priority.URGENT, "configmaps", List.of("g", "h"));
		assertThat(this.started).containsExactly("a", "b", "c", "g", "h");
		this.calls.get(2).complete(null);
		assertThat(this.started).containsExactly("a", "b", "c", "g", "h");
		this.calls.get(3).complete(null);
		assertThat(this.started).containsExactly("a", "b", "c", "g", "h", "d");
	}

	@Test
	@DisplayName("One object that hangs holds up no other of its resource")
	void oneThatHangsHoldsUpNoOther() {
		submit(Priority.URGENT, "a", "b", "c", "d", "e", "f", "g");
		pass(PatchLanes.HANGS.dividedBy(2));
		this.calls.get(1).complete(null);
		assertThat(this.started).containsExactly("a", "b", "c");
		pass(PatchLanes.HANGS.dividedBy(2));
		assertThat(this.started).containsExactly("a", "b", "c");
		this.calls.get(2).complete(null);
		assertThat(this.started).containsExactly("a", "b", "c", "d", "e");
		this.calls.get(3).complete(null);
		this.calls.get(4).complete(null);
		assertThat(this.started).containsExactly("a", "b", "c", "d", "e", "f", "g");
	}

	@Test
	@DisplayName("Calls that hang and are made again leave a turn to less urgent ones of their resource")
	void whatIsMadeAgainLeavesATurnToOthers() {
		submit(Priority.LAST_STEP, "a", "b");
		submit(Priority.URGENT, "new");
		pass(PatchLanes.HANGS);
		submit(Priority.LAST_STEP, "a");
		this.calls.get(0).complete(null);
		assertThat(this.started).containsExactly("a", "b", "new");
	}

	@Test
	void endsOnlyWhenWhatHangsHasEnded() {
		submit(Priority.URGENT, "a");
		pass(PatchLanes.HANGS);
		submit(Priority.URGENT, "b");
		CompletableFuture<Void> ended = this.queue.close();
		this.calls.get(1).complete(null);
		assertThat(ended).isNotDone();
		this.calls.get(0).complete(null);
		assertThat(ended).isCompleted();
	}

	/* The timer comes when it is due. */
	private void pass(Duration time) {
		this.now += time.toNanos();
		for (int i = this.timers.size(); i > 0; i--) {
			this.timers.remove().run();
		}
	}

	private void submit(Priority priority, String... names) {
		submit(priority, "secrets", List.of(names));
	}

	private void submit(Priority priority, String resource, List<String> names) {
		for (String name : names) {
			this.queue.submit(priority, resource, () -> {
				this.started.add(name);
				CompletableFuture<Void> call = new CompletableFuture<>();
				this.calls.add(call);
				return call;
			}, () -> this.dropped.add(name));
		}
	}

}
