package dev.sharding.controlplane;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class HeartbeatTests {

	@Test
	void tellsPhaseAtOnceAndAgainAtEachBeat() {
		List<String> lines = new CopyOnWriteArrayList<>();
		AtomicLong nanos = new AtomicLong();
		try (Heartbeat heartbeat = new Heartbeat(lines::add, Duration.ofMillis(20), nanos::get)) {
			heartbeat.begin("building");
			assertThat(lines).contains("Control plane: building (0:00)");
			nanos.set(Duration.ofSeconds(75).toNanos());
			await().atMost(Duration.ofMinutes(1)).until(() -> lines.contains("Control plane: building (1:15) ..."));
			heartbeat.change("still building");
			await().atMost(Duration.ofMinutes(1))
				.until(() -> lines.contains("Control plane: still building (1:15) ..."));
		}
	}

	@Test
	void survivesAListenerThatFails() {
		AtomicLong calls = new AtomicLong();
		try (Heartbeat heartbeat = new Heartbeat((line) -> {
			calls.incrementAndGet();
			throw new IllegalStateException("closed");
		}, Duration.ofMillis(10), System::nanoTime)) {
			heartbeat.change("building");
			await().atMost(Duration.ofMinutes(1)).until(() -> calls.get() >= 3);
		}
	}

}
