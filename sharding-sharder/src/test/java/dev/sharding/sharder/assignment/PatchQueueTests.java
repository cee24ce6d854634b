package dev.sharding.sharder.assignment;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import dev.sharding.sharder.assignment.PatchQueue.Priority;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class PatchQueueTests {

	private final List<String> started = new ArrayList<>();

	private final List<String> dropped = new ArrayList<>();

	private final List<CompletableFuture<Void>> calls = new ArrayList<>();

	private final PatchQueue queue = new PatchQueue(new InFlightLimit(2), () -> 0);

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
		this.queue.submit(Priority.URGENT, () -> {
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
			this.queue.submit(Priority.NORMAL, () -> {
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

	private void submit(Priority priority, String... names) {
		for (String name : names) {
			this.queue.submit(priority, () -> {
				this.started.add(name);
				CompletableFuture<Void> call = new CompletableFuture<>();
				this.calls.add(call);
				return call;
			}, () -> this.dropped.add(name));
		}
	}

}
