package dev.sharding.internal.kubernetes.reconcile;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.fabric8.kubernetes.api.model.Secret;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.MDC;

import dev.sharding.client.ApiException;
import dev.sharding.client.RetryAfter;
import dev.sharding.controller.Backoff;
import dev.sharding.controller.ControllerSpec;
import dev.sharding.controller.Result;
import dev.sharding.controller.Trigger;
import dev.sharding.internal.kubernetes.reconcile.queue.Priority;
import dev.sharding.internal.kubernetes.reconcile.queue.QueueItem;
import dev.sharding.internal.kubernetes.reconcile.queue.QueueMetrics;
import dev.sharding.internal.kubernetes.reconcile.queue.QueueState;
import dev.sharding.internal.kubernetes.reconcile.queue.WorkQueue;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;

import static org.assertj.core.api.Assertions.assertThat;

class WorkerTests {

	private static final ObjectKey KEY = new ObjectKey("ns", "a");

	private final WorkQueue<ObjectKey> queue = new WorkQueue<>(
			new Backoff(Duration.ofMillis(1), Duration.ofMillis(2), 0), System::nanoTime, QueueMetrics.NONE);

	private final Unanswered unanswered = new Unanswered();

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

	@Test
	void aResultOfAgesIsGivenBack() {
		start((key, trigger) -> Result.requeueAfter(Duration.ofMillis(Long.MAX_VALUE)));
		this.queue.resume();
		this.queue.add(KEY, Priority.NORMAL);
		Awaitility.await()
			.atMost(Duration.ofSeconds(20))
			.until(() -> this.queue.read(QueueState::delayed) == 1 && this.queue.read(QueueState::active) == 0);
	}

	@ParameterizedTest
	@EnumSource
	void givesTheKeyBackWhateverItsExceptionIsMadeOf(Hostile how) {
		AtomicInteger runs = new AtomicInteger();
		start((key, trigger) -> {
			if (runs.incrementAndGet() <= 2) {
				throw new HostileException(how);
			}
			return Result.done();
		});
		this.queue.resume();
		this.queue.add(KEY, Priority.NORMAL);
		if (how == Hostile.WAIT_OF_AGES) {
			Awaitility.await()
				.atMost(Duration.ofSeconds(20))
				.until(() -> this.queue.read(QueueState::delayed) == 1 && this.queue.read(QueueState::active) == 0);
		}
		else {
			Awaitility.await()
				.atMost(Duration.ofSeconds(20))
				.until(() -> runs.get() == 3 && this.queue.read(QueueState::size) == 0);
		}
		assertThat(this.threads).allMatch(Thread::isAlive);
	}

	@Test
	void aRefusalWithATimeIsNoFailure() {
		AtomicInteger runs = new AtomicInteger();
		List<Integer> failures = new CopyOnWriteArrayList<>();
		start((key, trigger) -> {
			failures.add((int) this.queue.read(QueueState::failing));
			if (runs.incrementAndGet() <= 30) {
				throw new IllegalStateException(
						new ApiException((runs.get() % 2 == 0) ? 429 : 503, "", Duration.ofMillis(2), "planned", null));
			}
			return Result.done();
		});
		this.queue.resume();
		this.queue.add(KEY, Priority.NORMAL);
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.until(() -> runs.get() == 31 && this.queue.read(QueueState::size) == 0);
		assertThat(failures).containsOnly(0);
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
		assertThat(this.queue.read(QueueState::failing)).isZero();
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

	@Test
	void goesOnWithoutTheAnswerAndGivesTheKeyBackWithIt() {
		Map<String, CompletableFuture<Result>> begun = new ConcurrentHashMap<>();
		List<Map<String, String>> contexts = new CopyOnWriteArrayList<>();
		startTask((key, trigger) -> {
			contexts.add(MDC.getCopyOfContextMap());
			return begun.computeIfAbsent(key.name(), (name) -> new CompletableFuture<>());
		});
		this.queue.resume();
		this.queue.add(KEY, Priority.NORMAL);
		this.queue.add(new ObjectKey("ns", "b"), Priority.NORMAL);
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> begun.size() == 2);
		this.queue.add(KEY, Priority.NORMAL);
		begun.get("b").complete(Result.done());
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> this.queue.read(QueueState::size) == 1);
		assertThat(this.queue.isActive(KEY)).isTrue();
		assertThat(contexts).as("nobody works twice on an object at a time").hasSize(2);
		CompletableFuture<Result> answer = begun.put("a", CompletableFuture.completedFuture(Result.done()));
		MDC.put("caller", "test");
		answer.completeExceptionally(new IllegalStateException("planned"));
		assertThat(MDC.getCopyOfContextMap()).containsExactly(Map.entry("caller", "test"));
		MDC.clear();
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.until(() -> contexts.size() >= 3 && this.queue.read(QueueState::size) == 0);
	}

	@Test
	void whatOnlyWaitsForAnAnswerIsNoRunningWork() throws InterruptedException {
		SimpleMeterRegistry meters = new SimpleMeterRegistry();
		ControllerMetrics.registerGauges(meters,
				ControllerSpec.of(ResourceType.of(Secret.class), (secret) -> Result.done()).named("test").build(),
				this.queue);
		CompletableFuture<Result> answer = new CompletableFuture<>();
		CountDownLatch running = new CountDownLatch(1);
		CountDownLatch end = new CountDownLatch(1);
		startTask((key, trigger) -> {
			if (key.equals(KEY)) {
				return answer;
			}
			running.countDown();
			end.await();
			return CompletableFuture.completedFuture(Result.done());
		});
		this.queue.resume();
		this.queue.add(KEY, Priority.HIGH);
		Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> this.queue.isActive(KEY) && isIdle(meters));
		assertThat(this.queue.status().longest()).isZero();
		assertThat(this.queue.status().active()).isZero();
		assertThat(this.queue.awaitIdle(Duration.ZERO)).as("nothing is awaited").isFalse();
		this.queue.add(new ObjectKey("ns", "b"), Priority.NORMAL);
		assertThat(running.await(1, TimeUnit.MINUTES)).isTrue();
		assertThat(seconds(meters, "workqueue.longest.running.processor")).isPositive();
		assertThat(seconds(meters, "workqueue.unfinished.work")).isPositive();
		assertThat(seconds(meters, "controller.runtime.active.workers")).isOne();
		end.countDown();
		answer.complete(Result.done());
		assertThat(this.queue.awaitIdle(Duration.ofMinutes(1))).isTrue();
		assertThat(isIdle(meters)).isTrue();
	}

	private static boolean isIdle(SimpleMeterRegistry meters) {
		return seconds(meters, "workqueue.longest.running.processor") == 0
				&& seconds(meters, "workqueue.unfinished.work") == 0
				&& seconds(meters, "controller.runtime.active.workers") == 0;
	}

	private static double seconds(SimpleMeterRegistry meters, String gauge) {
		return meters.get(gauge).gauge().value();
	}

	/* Drains wait for room in the queue; whoever could reconcile does not. */
	@Test
	void reconcilesWhileThereIsNoRoomForAnotherDrain() {
		Map<String, CompletableFuture<Result>> begun = new ConcurrentHashMap<>();
		startTask((key, trigger) -> begun.computeIfAbsent(key.name(), (name) -> name.equals("a")
				? CompletableFuture.completedFuture(Result.done()) : new CompletableFuture<>()));
		this.queue.resume();
		for (int i = 0; i <= QueueState.URGENT; i++) {
			this.queue.add(new ObjectKey("ns", "k" + i), Priority.HIGH);
		}
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> begun.size() >= QueueState.URGENT);
		this.queue.add(KEY, Priority.NORMAL);
		Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> begun.containsKey("a"));
		assertThat(begun).hasSize(QueueState.URGENT + 1).doesNotContainKey("k" + QueueState.URGENT);
		begun.get("k1").complete(Result.done());
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.until(() -> begun.containsKey("k" + QueueState.URGENT) && !this.queue.isActive(new ObjectKey("ns", "k1")));
		this.queue.suspend();
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> {
			this.unanswered.cancel();
			return this.queue.read(QueueState::active) == 0;
		});
		assertThat(this.queue.read(QueueState::size)).isZero();
	}

	enum Hostile {

		CAUSE_IN_A_CIRCLE, CAUSE_THROWS, MESSAGE_THROWS, WAIT_OF_AGES, WAIT_THROWS, WAIT_IS_NEGATIVE

	}

	/** An exception as a user may write it. */
	private static final class HostileException extends RuntimeException implements RetryAfter {

		private static final long serialVersionUID = 1L;

		private final Hostile how;

		HostileException(Hostile how) {
			this.how = how;
		}

		@Override
		public synchronized Throwable getCause() {
			if (this.how == Hostile.CAUSE_THROWS) {
				throw new IllegalStateException("planned");
			}
			return (this.how == Hostile.CAUSE_IN_A_CIRCLE) ? new HostileException(this.how) : null;
		}

		@Override
		public String getMessage() {
			if (this.how == Hostile.MESSAGE_THROWS) {
				throw new IllegalStateException("planned");
			}
			return "planned";
		}

		@Override
		public Duration retryAfter() {
			return switch (this.how) {
				case WAIT_OF_AGES -> Duration.ofSeconds(Long.MAX_VALUE);
				case WAIT_THROWS -> throw new IllegalStateException("planned");
				case WAIT_IS_NEGATIVE -> Duration.ofSeconds(Long.MIN_VALUE);
				default -> null;
			};
		}

	}

	private Worker start(Work work) {
		return startTask((key, trigger) -> CompletableFuture.completedFuture(work.run(key, trigger)));
	}

	private Worker startTask(Worker.Task task) {
		Worker worker = new Worker("test", this.queue, task, false, this.unanswered, () -> Map.of("ring", "r"));
		Thread thread = new Thread(worker, "worker");
		this.threads.add(thread);
		thread.start();
		return worker;
	}

	/** Work that ends when it returns. */
	@FunctionalInterface
	private interface Work {

		Result run(ObjectKey key, Trigger trigger) throws Exception;

	}

}
