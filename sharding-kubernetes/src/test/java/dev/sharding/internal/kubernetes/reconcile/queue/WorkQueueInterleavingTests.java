package dev.sharding.internal.kubernetes.reconcile.queue;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import dev.sharding.controller.Backoff;
import dev.sharding.controller.Result;

import static dev.sharding.internal.kubernetes.Interleavings.assertFaultIsFound;
import static dev.sharding.internal.kubernetes.Interleavings.check;
import static dev.sharding.internal.kubernetes.Interleavings.play;
import static dev.sharding.internal.kubernetes.Interleavings.together;

/**
 * A key is worked on by one worker at a time, and once more after its last add; nobody
 * sleeps through what is for it.
 */
@Tag("long")
class WorkQueueInterleavingTests {

	@Test
	void aKeyIsServedByOneAtATimeAndAgainAfterItsLastAdd() {
		play(() -> {
			WorkQueue<Integer> queue = running();
			Change change = new Change(2);
			// Whoever sees the last change lets all go; if nobody does, all wait for
			// ever.
			Work work = (key) -> {
				if (change.serve()) {
					queue.close();
				}
			};
			together(() -> {
				change.made();
				queue.add(1, Priority.NORMAL);
				change.made();
				queue.add(1, Priority.HIGH);
			}, () -> serve(queue, work), () -> serve(queue, work));
		});
	}

	@Test
	void theUrgentAndTheOthersAreBothWoken() {
		play(() -> {
			WorkQueue<Integer> queue = running();
			AtomicInteger left = new AtomicInteger(2);
			together(() -> queue.add(1, Priority.HIGH), () -> queue.add(2, Priority.NORMAL),
					() -> serve(queue, (key) -> closeWhenDone(queue, left)), () -> {
						QueueItem<Integer> item = queue.takeUrgent();
						while (item != null) {
							check(item.key == 1, "not urgent");
							closeWhenDone(queue, left);
							queue.finish(item, Result.done());
							item = queue.takeUrgent();
						}
					});
		});
	}

	@Test
	void whatIsAddedAfterASuspensionIsServedAlthoughTheKeyWasActive() {
		play(() -> {
			WorkQueue<Integer> queue = running();
			queue.add(1, Priority.NORMAL);
			Change change = new Change(1);
			together(() -> {
				queue.suspend();
				queue.resume();
				change.made();
				queue.add(1, Priority.NORMAL);
			}, () -> serve(queue, (key) -> {
				if (change.serve()) {
					queue.close();
				}
			}));
			check(queue.read(QueueState::active) == 0, "still active");
			check(queue.read(QueueState::size) == 0, "not forgotten");
		});
	}

	@Test
	void whoWaitsForTheEndOfWorkHearsOfIt() {
		play(() -> {
			WorkQueue<Integer> queue = running();
			queue.add(1, Priority.NORMAL);
			AtomicInteger atWork = new AtomicInteger();
			together(() -> {
				queue.suspend();
				check(queue.awaitIdle(Duration.ofDays(1)), "gave up");
				check(atWork.get() == 0, "not idle");
				queue.close();
			}, () -> serve(queue, (key) -> {
				atWork.incrementAndGet();
				atWork.decrementAndGet();
			}));
		});
	}

	/** The law of the queue, used as only the queue may that holds the lock. */
	@Test
	void aQueueWithoutItsLockIsFound() {
		assertFaultIsFound(() -> {
			QueueState<Integer> state = new QueueState<>();
			state.add(1, Priority.NORMAL, 0);
			QueueItem<?>[] taken = new QueueItem<?>[2];
			together(() -> taken[0] = state.poll(0), () -> taken[1] = state.poll(0));
			check(taken[0] == null || taken[1] == null, "served by two");
		});
	}

	private static WorkQueue<Integer> running() {
		WorkQueue<Integer> queue = new WorkQueue<>(Backoff.DEFAULT, () -> 0, QueueMetrics.NONE);
		queue.resume();
		return queue;
	}

	private static void closeWhenDone(WorkQueue<Integer> queue, AtomicInteger left) {
		if (left.decrementAndGet() == 0) {
			queue.close();
		}
	}

	private static void serve(WorkQueue<Integer> queue, Work work) throws InterruptedException {
		QueueItem<Integer> item = queue.take();
		while (item != null) {
			work.on(item.key);
			queue.finish(item, Result.done());
			item = queue.take();
		}
	}

	private interface Work {

		void on(Integer key);

	}

	/** What the adds tell of. */
	private static final class Change {

		private final int last;

		private final AtomicInteger made = new AtomicInteger();

		private final AtomicInteger atWork = new AtomicInteger();

		Change(int last) {
			this.last = last;
		}

		void made() {
			this.made.incrementAndGet();
		}

		/** Whether this sees the last change. */
		boolean serve() {
			check(this.atWork.incrementAndGet() == 1, "served by two");
			boolean seesLast = this.made.get() == this.last;
			this.atWork.decrementAndGet();
			return seesLast;
		}

	}

}
