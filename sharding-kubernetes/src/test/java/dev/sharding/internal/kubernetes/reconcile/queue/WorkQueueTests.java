package dev.sharding.internal.kubernetes.reconcile.queue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import dev.sharding.controller.Backoff;
import dev.sharding.controller.Result;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.hamcrest.Matchers.equalTo;

class WorkQueueTests {

	private static final Backoff FAST = new Backoff(Duration.ofMillis(1), Duration.ofMillis(4), 0.2);

	private final WorkQueue<Integer> queue = new WorkQueue<>(FAST, System::nanoTime, QueueMetrics.NONE);

	private final List<Thread> threads = new ArrayList<>();

	@AfterEach
	void close() throws InterruptedException {
		this.queue.close();
		for (Thread thread : this.threads) {
			thread.join(60_000);
			assertThat(thread.isAlive()).isFalse();
		}
	}

	@Test
	void takesNothingInWhileSuspended() throws InterruptedException {
		this.queue.add(1, Priority.NORMAL);
		this.queue.resume();
		this.queue.add(2, Priority.NORMAL);
		assertThat(this.queue.take().key).isEqualTo(2);
		this.queue.add(3, Priority.NORMAL);
		this.queue.suspend();
		this.queue.add(4, Priority.NORMAL);
		this.queue.resume();
		this.queue.add(5, Priority.NORMAL);
		assertThat(this.queue.take().key).isEqualTo(5);
	}

	@Test
	void aWaitingWorkerIsWokenForAKeyThatBecomesDueEarlier() throws InterruptedException {
		this.queue.resume();
		this.queue.addAfter(1, Priority.NORMAL, Duration.ofHours(1));
		List<Integer> served = serve(2, (key) -> Result.done());
		this.queue.addAfter(2, Priority.NORMAL, Duration.ofMillis(20));
		this.queue.addAfter(3, Priority.NORMAL, Duration.ofMillis(10));
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.untilAsserted(() -> assertThat(served).contains(2, 3).doesNotContain(1));
	}

	@Test
	void requeueAfterBringsTheKeyBack() {
		this.queue.resume();
		AtomicInteger runs = new AtomicInteger();
		serve(3, (key) -> (runs.incrementAndGet() < 5) ? Result.requeueAfter(Duration.ofMillis(2)) : Result.done());
		this.queue.add(1, Priority.NORMAL);
		Awaitility.await().atMost(Duration.ofMinutes(1)).untilAtomic(runs, equalTo(5));
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> this.queue.read(QueueState::size) == 0);
	}

	@Test
	void aDelayOfAgesIsAYearAndWedgesNothing() throws InterruptedException {
		this.queue.resume();
		Duration ages = Duration.ofMillis(Long.MAX_VALUE);
		this.queue.add(1, Priority.NORMAL);
		this.queue.finish(this.queue.take(), Result.requeueAfter(ages));
		this.queue.add(2, Priority.NORMAL);
		this.queue.finishFailed(this.queue.take(), ages);
		this.queue.add(3, Priority.NORMAL);
		this.queue.finishPutOff(this.queue.take(), ages);
		this.queue.addAfter(4, Priority.NORMAL, ages);
		this.queue.addAfter(5, Priority.NORMAL, ages.negated());
		assertThat(this.queue.take().key).isEqualTo(5);
		assertThat(this.queue.read(QueueState::delayed)).isEqualTo(4);
		assertThat(this.queue.read((state) -> state.nextDelay(System.nanoTime())))
			.isBetween(Duration.ofDays(364).toNanos(), Duration.ofDays(365).toNanos());
		assertThat(new Backoff(Duration.ofMillis(1), ages, 1).delayNanos(100, 0.99)).isPositive();
	}

	@Test
	void metersThatFailLoseNoKey() throws InterruptedException {
		QueueMetrics broken = new QueueMetrics() {

			@Override
			public void added() {
				throw new IllegalStateException("planned");
			}

			@Override
			public void taken(long waitedNanos) {
				throw new IllegalStateException("planned");
			}

			@Override
			public void worked(long workedNanos) {
				throw new IllegalStateException("planned");
			}

		};
		WorkQueue<Integer> counted = new WorkQueue<>(FAST, System::nanoTime, broken);
		counted.resume();
		assertThatIllegalStateException().isThrownBy(() -> counted.add(1, Priority.NORMAL));
		QueueItem<Integer> item = counted.take();
		assertThatIllegalStateException().isThrownBy(() -> counted.finish(item, Result.done()));
		assertThat(counted.read(QueueState::size)).isZero();
		counted.close();
	}

	@Test
	void whatIsRefusedForEverComesBackLessAndLessOften() throws InterruptedException {
		this.queue.resume();
		List<Long> seconds = new ArrayList<>();
		for (int i = 0; i < 15; i++) {
			this.queue.add(1, Priority.NORMAL);
			seconds.add(TimeUnit.NANOSECONDS.toSeconds(this.queue.finishRefused(this.queue.take())));
		}
		assertThat(seconds.subList(0, 3)).containsOnly(1L);
		assertThat(seconds.get(3)).isEqualTo(2);
		assertThat(seconds.get(14)).isBetween(250L, 300L);
	}

	@Test
	void whatIsMostUrgentComesBackSoonHoweverOftenItFails() throws InterruptedException {
		WorkQueue<Integer> slow = new WorkQueue<>(new Backoff(Duration.ofHours(1), Duration.ofHours(2), 0.2),
				System::nanoTime, QueueMetrics.NONE);
		slow.resume();
		slow.add(1, Priority.HIGH);
		assertThat(slow.finishFailed(slow.take(), Duration.ZERO)).isBetween(TimeUnit.SECONDS.toNanos(1),
				TimeUnit.MILLISECONDS.toNanos(1200));
		for (int i = 0; i < 15; i++) {
			slow.add(1, Priority.HIGH);
			assertThat(slow.finishRefused(slow.take())).isLessThanOrEqualTo(TimeUnit.SECONDS.toNanos(30));
		}
		slow.add(1, Priority.HIGH);
		assertThat(slow.finishFailed(slow.take(), Duration.ofMinutes(1))).isEqualTo(TimeUnit.MINUTES.toNanos(1));
		slow.add(2, Priority.NORMAL);
		assertThat(slow.finishFailed(slow.take(), Duration.ZERO)).isGreaterThanOrEqualTo(TimeUnit.HOURS.toNanos(1));
	}

	@Test
	void whatBecomesMostUrgentDuringItsWorkIsGivenOutWhenAnotherHasItsTurn() throws InterruptedException {
		this.queue.resume();
		this.queue.add(-1, Priority.LOW);
		for (int i = 1; i < QueueState.PATIENCE; i++) {
			this.queue.add(i, Priority.NORMAL);
			this.queue.finish(this.queue.take(), Result.done());
		}
		this.queue.add(0, Priority.NORMAL);
		QueueItem<Integer> work = this.queue.take();
		this.queue.add(0, Priority.HIGH);
		List<Integer> urgent = serveUrgent();
		this.queue.finish(work, Result.done());
		assertThat(this.queue.take().key).isEqualTo(-1);
		Awaitility.await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> assertThat(urgent).containsExactly(0));
	}

	@Test
	void closeLetsIdleWorkersGo() {
		this.queue.resume();
		serve(4, (key) -> Result.done());
		this.queue.close();
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> this.threads.stream().noneMatch(Thread::isAlive));
	}

	@Test
	void awaitIdleWaitsForTheWorkThatRuns() throws InterruptedException {
		this.queue.resume();
		this.queue.add(1, Priority.NORMAL);
		QueueItem<Integer> item = this.queue.take();
		assertThat(this.queue.awaitIdle(Duration.ofMillis(1))).isFalse();
		Thread finisher = new Thread(() -> this.queue.finish(item, Result.done()));
		this.threads.add(finisher);
		finisher.start();
		assertThat(this.queue.awaitIdle(Duration.ofSeconds(30))).isTrue();
	}

	/**
	 * Many producers and workers: a key is never with two workers, and after the last add
	 * of a key there is always a start of work that began later.
	 */
	@Test
	void underLoadNoAddIsLostAndNoKeyIsShared() throws InterruptedException {
		int keys = 20;
		int adds = 4000;
		AtomicIntegerArray versions = new AtomicIntegerArray(keys);
		AtomicIntegerArray seen = new AtomicIntegerArray(keys);
		ConcurrentHashMap<Integer, Thread> owners = new ConcurrentHashMap<>();
		AtomicInteger shared = new AtomicInteger();
		this.queue.resume();
		serve(6, (key) -> {
			if (owners.putIfAbsent(key, Thread.currentThread()) != null) {
				shared.incrementAndGet();
			}
			seen.set(key, versions.get(key));
			int dice = ThreadLocalRandom.current().nextInt(10);
			if (dice == 0) {
				Thread.onSpinWait();
			}
			owners.remove(key);
			if (dice == 1) {
				throw new IllegalStateException("planned");
			}
			return (dice == 2) ? Result.requeueAfter(Duration.ofNanos(1000)) : Result.done();
		});
		CountDownLatch produced = new CountDownLatch(3);
		for (int p = 0; p < 3; p++) {
			Thread producer = new Thread(() -> {
				for (int i = 0; i < adds; i++) {
					int key = ThreadLocalRandom.current().nextInt(keys);
					versions.incrementAndGet(key);
					this.queue.add(key, Priority.values()[i % 3]);
				}
				produced.countDown();
			});
			this.threads.add(producer);
			producer.start();
		}
		assertThat(produced.await(60, TimeUnit.SECONDS)).isTrue();
		Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> this.queue.read(QueueState::size) == 0);
		assertThat(shared).hasValue(0);
		for (int key = 0; key < keys; key++) {
			assertThat(seen.get(key)).isEqualTo(versions.get(key));
		}
	}

	private List<Integer> serveUrgent() {
		List<Integer> served = new CopyOnWriteArrayList<>();
		Thread thread = new Thread(() -> {
			try {
				QueueItem<Integer> item = this.queue.takeUrgent();
				while (item != null) {
					served.add(item.key);
					this.queue.finish(item, Result.done());
					item = this.queue.takeUrgent();
				}
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		});
		this.threads.add(thread);
		thread.start();
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> thread.getState() == Thread.State.WAITING);
		return served;
	}

	private List<Integer> serve(int workers, Work work) {
		List<Integer> served = new CopyOnWriteArrayList<>();
		for (int i = 0; i < workers; i++) {
			Thread thread = new Thread(() -> {
				try {
					QueueItem<Integer> item = this.queue.take();
					while (item != null) {
						try {
							Result result = work.on(item.key);
							served.add(item.key);
							this.queue.finish(item, result);
						}
						catch (IllegalStateException ex) {
							this.queue.finishFailed(item, Duration.ZERO);
						}
						item = this.queue.take();
					}
				}
				catch (InterruptedException ex) {
					Thread.currentThread().interrupt();
				}
			});
			this.threads.add(thread);
			thread.start();
		}
		return served;
	}

	interface Work {

		Result on(int key);

	}

}
