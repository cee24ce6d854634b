package dev.sharding.internal.kubernetes.reconcile;

import java.time.Duration;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import dev.sharding.controller.Backoff;

import static org.assertj.core.api.Assertions.assertThat;

class MapperRetriesTests {

	private final AtomicInteger looksAtAll = new AtomicInteger();

	private final UserThread thread = new UserThread("test", this.looksAtAll::incrementAndGet);

	private final MapperRetries retries = new MapperRetries(this.thread,
			new Backoff(Duration.ofNanos(1), Duration.ofMillis(1), 0));

	@AfterEach
	void close() {
		this.thread.close();
	}

	@Test
	void asksUntilItIsAnswered() {
		AtomicInteger asked = new AtomicInteger();
		this.retries.add("object", () -> asked.incrementAndGet() > 100);
		Awaitility.await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> assertThat(asked).hasValue(101));
		AtomicBoolean next = new AtomicBoolean();
		this.retries.add("object", () -> {
			next.set(true);
			return true;
		});
		Awaitility.await().atMost(Duration.ofMinutes(1)).untilTrue(next);
		assertThat(asked).hasValue(101);
		assertThat(this.looksAtAll).hasValue(0);
	}

	@Test
	void asksAboutTheLastStateOfAnObjectAndLooksAtAllOnceItIsAnswered() {
		CountDownLatch added = new CountDownLatch(1);
		this.thread.run(() -> await(added));
		Set<Integer> asked = Collections.synchronizedSet(new HashSet<>());
		AtomicBoolean answers = new AtomicBoolean();
		for (int i = 0; i < 1000; i++) {
			this.retries.add("object", question(i, asked, answers));
		}
		this.retries.add("another", question(-1, asked, answers));
		added.countDown();
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.untilAsserted(() -> assertThat(asked).containsExactlyInAnyOrder(-1, 999));
		assertThat(this.looksAtAll).hasValue(0);
		answers.set(true);
		Awaitility.await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> assertThat(this.looksAtAll).hasValue(1));
	}

	@Test
	void aQuestionThatThrowsIsAskedAgain() {
		AtomicInteger asked = new AtomicInteger();
		this.retries.add("object", () -> {
			if (asked.incrementAndGet() == 1) {
				throw new IllegalStateException("planned");
			}
			return true;
		});
		Awaitility.await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> assertThat(asked).hasValue(2));
	}

	@Test
	void aNewStateDoesNotWaitForWhatTheOldOneHasComeTo() {
		MapperRetries growing = new MapperRetries(this.thread, new Backoff(Duration.ofNanos(1), Duration.ofDays(1), 0));
		AtomicInteger old = new AtomicInteger();
		AtomicInteger fresh = new AtomicInteger();
		growing.add("object", () -> {
			if (old.incrementAndGet() == 25) {
				growing.add("object", () -> fresh.incrementAndGet() > 20);
			}
			return false;
		});
		Awaitility.await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> assertThat(fresh).hasValue(21));
		assertThat(old).hasValue(25);
		Awaitility.await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> assertThat(this.looksAtAll).hasValue(1));
	}

	@Test
	void looksAtAllOnceForWhatIsTooMuch() {
		MapperRetries slow = new MapperRetries(this.thread, new Backoff(Duration.ofDays(1), Duration.ofDays(1), 0));
		for (int i = 0; i < UserThread.MOST / 2; i++) {
			slow.add(i, () -> false);
		}
		for (int i = 0; i < 100; i++) {
			slow.add("more" + i, () -> false);
			CountDownLatch idle = new CountDownLatch(1);
			this.thread.run(idle::countDown);
			await(idle);
		}
		assertThat(this.looksAtAll).hasValue(1);
	}

	@Test
	void looksAtAllAgainForWhatIsStillTooMuch() {
		for (int i = 0; i < UserThread.MOST / 2; i++) {
			this.thread.runAfter(Duration.ofDays(1), () -> {
			});
		}
		this.retries.add("one", () -> false);
		Awaitility.await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> assertThat(this.looksAtAll).hasValue(1));
		this.retries.add("another", () -> false);
		Awaitility.await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> assertThat(this.looksAtAll).hasValue(2));
	}

	private static BooleanSupplier question(int number, Set<Integer> asked, AtomicBoolean answers) {
		return () -> {
			asked.add(number);
			return answers.get();
		};
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await(60, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
