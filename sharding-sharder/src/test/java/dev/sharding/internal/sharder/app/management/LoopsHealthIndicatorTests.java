package dev.sharding.internal.sharder.app.management;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import dev.sharding.internal.sharder.http.WebStack;
import dev.sharding.internal.sharder.watch.EventLoop;
import org.junit.jupiter.api.Test;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class LoopsHealthIndicatorTests {

	private static final String LOOP = "sharder-ring-seen";

	@Test
	void isDownWhileALoopDoesNotMove() {
		LoopsHealthIndicator indicator = new LoopsHealthIndicator(() -> Duration.ZERO, Duration.ofMillis(50));
		CountDownLatch end = new CountDownLatch(1);
		try (EventLoop loop = new EventLoop(LOOP)) {
			loop.execute(() -> {
				try {
					end.await();
				}
				catch (InterruptedException ex) {
					Thread.currentThread().interrupt();
				}
			});
			await().atMost(Duration.ofSeconds(90)).untilAsserted(() -> {
				Health health = indicator.health();
				assertThat(health.getStatus()).isEqualTo(Status.DOWN);
				assertThat(health.getDetails()).containsKey(LOOP);
			});
			end.countDown();
			await().atMost(Duration.ofSeconds(90))
				.untilAsserted(() -> assertThat(indicator.health().getDetails()).doesNotContainKey(LOOP));
		}
	}

	@Test
	void isDownWhileAnEventLoopOfTheWebStackIsBlocked() {
		try (WebStack stack = new WebStack()) {
			LoopsHealthIndicator indicator = new LoopsHealthIndicator(stack::still, Duration.ofSeconds(8));
			assertThat(indicator.health().getDetails()).doesNotContainKey("web");
			CountDownLatch end = new CountDownLatch(1);
			stack.after(Duration.ofMillis(1), () -> {
				try {
					end.await();
				}
				catch (InterruptedException ex) {
					Thread.currentThread().interrupt();
				}
			});
			await().atMost(60, TimeUnit.SECONDS)
				.untilAsserted(() -> assertThat(indicator.health().getDetails()).containsKey("web"));
			assertThat(indicator.health().getStatus()).isEqualTo(Status.DOWN);
			end.countDown();
			await().atMost(60, TimeUnit.SECONDS)
				.untilAsserted(() -> assertThat(indicator.health().getDetails()).doesNotContainKey("web"));
		}
	}

}
