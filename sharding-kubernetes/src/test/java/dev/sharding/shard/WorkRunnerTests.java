package dev.sharding.shard;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Work that fails, which is to be called again.
 */
class WorkRunnerTests {

	private final Failing work = new Failing();

	private final WorkRunner runner = new WorkRunner(this.work, System::nanoTime);

	@AfterEach
	void close() {
		this.runner.close();
	}

	@Test
	void workThatFailsToBeginAndThenToEndIsEndedAndBegunInTheSameTerm() {
		this.work.fails.addAll(List.of("begin", "end"));
		this.runner.resume();
		awaitCalls("begin", "end", "end", "begin");
		assertThat(this.runner.isActive()).isTrue();
	}

	@Test
	void workThatFailsToBeginIsEndedAndBegunInTheSameTerm() {
		this.work.fails.add("begin");
		this.runner.resume();
		awaitCalls("begin", "end", "begin");
	}

	@Test
	void workThatHasNotBegunSaysWhy() {
		assertThat(this.runner.hasBegun()).isFalse();
		this.work.fails.addAll(List.of("begin", "end"));
		this.work.mayEnd = new CountDownLatch(1);
		this.runner.resume();
		awaitCalls("begin", "end", "end");
		assertThat(this.runner.problem()).contains("failed to end").contains("planned");
		assertThat(this.runner.hasBegun()).isFalse();
		this.work.mayEnd.countDown();
		awaitCalls("begin", "end", "end", "begin");
		Awaitility.await().atMost(Duration.ofSeconds(30)).until(this.runner::hasBegun);
		assertThat(this.runner.problem()).isNull();
		this.runner.suspend();
		assertThat(this.runner.hasBegun()).isFalse();
	}

	@Test
	void workThatHasEndedAtLastIsNoProblem() throws Exception {
		this.work.fails.add("end");
		this.work.mayEnd = new CountDownLatch(1);
		this.runner.resume();
		awaitCalls("begin");
		this.runner.suspend();
		awaitCalls("begin", "end", "end");
		assertThat(this.runner.problem()).contains("failed to end");
		this.work.mayEnd.countDown();
		assertThat(this.runner.awaitEnd(Duration.ofSeconds(30))).isTrue();
		assertThat(this.runner.problem()).isNull();
	}

	@Test
	void workThatFailsToEndIsEndedAgain() throws Exception {
		this.work.fails.add("end");
		this.runner.resume();
		awaitCalls("begin");
		this.runner.suspend();
		awaitCalls("begin", "end", "end");
		assertThat(this.runner.awaitEnd(Duration.ofSeconds(30))).isTrue();
	}

	@Test
	void workThatBeginsWhenNobodyWantsItAnyMoreEnds() throws Exception {
		this.work.mayBegin = new CountDownLatch(1);
		this.runner.resume();
		awaitCalls("begin");
		this.runner.suspend();
		this.runner.close();
		this.work.mayBegin.countDown();
		awaitCalls("begin", "end");
		assertThat(this.runner.awaitEnd(Duration.ofSeconds(30))).isTrue();
	}

	private void awaitCalls(String... calls) {
		Awaitility.await()
			.atMost(Duration.ofSeconds(30))
			.untilAsserted(() -> assertThat(this.work.calls).containsExactly(calls));
	}

	/** Fails once each time that it is said to. */
	private static final class Failing implements ShardWork {

		private final List<String> calls = new CopyOnWriteArrayList<>();

		private final List<String> fails = new CopyOnWriteArrayList<>();

		private volatile CountDownLatch mayBegin = new CountDownLatch(0);

		private volatile CountDownLatch mayEnd = new CountDownLatch(0);

		@Override
		public void begin() {
			called("begin");
			awaitWhateverInterrupts(this.mayBegin);
		}

		@Override
		public void end() throws InterruptedException {
			called("end");
			this.mayEnd.await();
		}

		private static void awaitWhateverInterrupts(CountDownLatch latch) {
			while (latch.getCount() > 0) {
				try {
					latch.await();
				}
				catch (InterruptedException ex) {
					// It was asked to end, and stays.
				}
			}
		}

		private void called(String method) {
			this.calls.add(method);
			if (this.fails.remove(method)) {
				throw new IllegalStateException("planned");
			}
		}

	}

}
