package dev.sharding.kubernetes.reconcile;

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
		Awaitility.await().untilAsserted(() -> assertThat(asked).hasValue(101));
		AtomicBoolean next = new AtomicBoolean();
		this.retries.add("object", () -> {
			next.set(true);
			return true;
		});
		Awaitility.await().untilTrue(next);
		assertThat(asked).hasValue(101);
		assertThat(this.looksAtAll).hasValue(0);
	}

	@Test
	void keepsTheFirstAndTheLastStatesOfAnObjectAndLooksAtAllOnceItIsAnswered() {
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
			.untilAsserted(() -> assertThat(asked).contains(-1, 0, 999).hasSize(MapperRetries.STATES + 1));
		assertThat(this.looksAtAll).hasValue(0);
		answers.set(true);
		Awaitility.await().untilAsserted(() -> assertThat(this.looksAtAll).hasValue(1));
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
