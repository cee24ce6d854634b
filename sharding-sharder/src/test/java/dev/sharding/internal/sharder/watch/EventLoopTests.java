package dev.sharding.internal.sharder.watch;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class EventLoopTests {

	private static final Duration MOMENT = Duration.ofMillis(50);

	@Test
	void isStuckWhileATaskDoesNotEnd() throws Exception {
		CountDownLatch end = new CountDownLatch(1);
		try (EventLoop loop = new EventLoop("stuck-or-not")) {
			loop.execute(() -> {
				try {
					end.await();
				}
				catch (InterruptedException ex) {
					Thread.currentThread().interrupt();
				}
			});
			await().atMost(Duration.ofSeconds(90))
				.untilAsserted(() -> assertThat(EventLoop.stuck(MOMENT)).containsKey("stuck-or-not"));
			end.countDown();
			await().atMost(Duration.ofSeconds(90))
				.untilAsserted(() -> assertThat(EventLoop.stuck(MOMENT)).doesNotContainKey("stuck-or-not"));
			// What is due later is not late.
			loop.schedule(() -> {
			}, Duration.ofHours(1));
			assertThat(EventLoop.stuck(MOMENT)).doesNotContainKey("stuck-or-not");
		}
	}

	@Test
	void isForgottenOnceClosed() {
		EventLoop loop = new EventLoop("closed-while-stuck");
		CountDownLatch never = new CountDownLatch(1);
		loop.execute(() -> {
			while (never.getCount() > 0) {
				Thread.onSpinWait();
			}
		});
		await().atMost(Duration.ofSeconds(90))
			.untilAsserted(() -> assertThat(EventLoop.stuck(MOMENT)).containsKey("closed-while-stuck"));
		loop.close();
		assertThat(EventLoop.stuck(MOMENT)).doesNotContainKey("closed-while-stuck");
		never.countDown();
	}

}
