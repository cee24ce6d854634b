package dev.sharding.kubernetes.reconcile;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.MDC;

import dev.sharding.kubernetes.resource.ObjectKey;
import dev.sharding.kubernetes.rest.ApiException;

import static org.assertj.core.api.Assertions.assertThat;

class WorkerTests {

	private static final ObjectKey KEY = new ObjectKey("ns", "a");

	private final WorkQueue<ObjectKey> queue = new WorkQueue<>(
			new Backoff(Duration.ofMillis(1), Duration.ofMillis(2), 0), System::nanoTime, QueueMetrics.NONE);

	private final List<Thread> threads = new ArrayList<>();

	@AfterEach
	void close() throws InterruptedException {
		this.queue.close();
		for (Thread thread : this.threads) {
			thread.join(10_000);
			assertThat(thread.isAlive()).isFalse();
		}
	}

	@Test
	void survivesWhateverTheWorkThrows() {
		AtomicInteger runs = new AtomicInteger();
		start((key, trigger) -> {
			switch (runs.incrementAndGet()) {
				case 1 -> throw new StackOverflowError("planned");
				case 2 -> throw new Exception("planned");
				case 3 -> throw new NoClassDefFoundError("planned");
				default -> {
				}
			}
			return Result.done();
		});
		this.queue.resume();
		this.queue.add(KEY, Priority.NORMAL);
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.until(() -> runs.get() == 4 && this.queue.read(QueueState::size) == 0);
	}

	@Test
	void anInterruptReachesTheRunningWorkAndNotTheNext() throws InterruptedException {
		CountDownLatch running = new CountDownLatch(1);
		List<String> seen = new CopyOnWriteArrayList<>();
		Worker worker = start((key, trigger) -> {
			if (seen.isEmpty()) {
				running.countDown();
				try {
					new CountDownLatch(1).await();
				}
				catch (InterruptedException ex) {
					Thread.currentThread().interrupt();
					seen.add("interrupted");
					throw ex;
				}
			}
			seen.add("interrupted=" + Thread.currentThread().isInterrupted());
			return Result.done();
		});
		this.queue.resume();
		this.queue.add(KEY, Priority.NORMAL);
		assertThat(running.await(30, TimeUnit.SECONDS)).isTrue();
		worker.interrupt();
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.untilAsserted(() -> assertThat(seen).containsExactly("interrupted", "interrupted=false"));
	}

	@Test
	void anInterruptWithoutWorkIsIgnored() {
		AtomicInteger runs = new AtomicInteger();
		Worker worker = start((key, trigger) -> {
			runs.incrementAndGet();
			return Result.done();
		});
		worker.interrupt();
		this.threads.get(0).interrupt();
		this.queue.resume();
		this.queue.add(KEY, Priority.NORMAL);
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> runs.get() == 1);
	}

	@Test
	void afterASuspensionNoWorkBegins() throws InterruptedException {
		List<String> ran = new CopyOnWriteArrayList<>();
		this.queue.resume();
		for (int i = 0; i < 200; i++) {
			this.queue.add(new ObjectKey("ns", "k" + i), Priority.NORMAL);
			QueueItem<ObjectKey> item = this.queue.take();
			this.queue.suspend();
			assertThat(item.abandoned).isTrue();
			this.queue.finish(item, Result.requeue());
			this.queue.resume();
		}
		start((key, trigger) -> {
			ran.add(key.name());
			return Result.done();
		});
		this.queue.add(KEY, Priority.NORMAL);
		Awaitility.await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> assertThat(ran).containsExactly("a"));
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void waitsAsLongAsTheApiServerAsksFor(boolean wrapped) {
		AtomicInteger runs = new AtomicInteger();
		start((key, trigger) -> {
			if (runs.incrementAndGet() == 1) {
				ApiException refusal = new ApiException(429, "TooManyRequests", Duration.ofHours(1), "planned", null);
				throw wrapped ? new IllegalStateException(refusal) : refusal;
			}
			return Result.done();
		});
		this.queue.resume();
		this.queue.add(KEY, Priority.NORMAL);
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> this.queue.read(QueueState::delayed) == 1);
		assertThat(this.queue.read((state) -> state.nextDelay(System.nanoTime())))
			.isGreaterThan(Duration.ofMinutes(59).toNanos());
		this.queue.add(KEY, Priority.NORMAL);
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.until(() -> runs.get() == 2 && this.queue.read(QueueState::size) == 0);
	}

	@Test
	void theLogContextIsLeftClean() {
		List<Map<String, String>> contexts = new CopyOnWriteArrayList<>();
		start((key, trigger) -> {
			contexts.add(MDC.getCopyOfContextMap());
			return Result.done();
		});
		this.queue.resume();
		this.queue.add(KEY, Priority.NORMAL);
		this.queue.add(new ObjectKey("", "b"), Priority.NORMAL);
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> contexts.size() == 2);
		assertThat(contexts.get(0)).containsEntry("key", "ns/a").containsEntry("ring", "r");
		assertThat(contexts.get(1)).containsEntry("key", "b");
		assertThat(contexts.get(1).get("reconcileId")).isNotEqualTo(contexts.get(0).get("reconcileId"));
	}

	private Worker start(Worker.Task task) {
		Worker worker = new Worker("test", this.queue, task, Map.of("ring", "r"));
		Thread thread = new Thread(worker, "worker");
		this.threads.add(thread);
		thread.start();
		return worker;
	}

}
