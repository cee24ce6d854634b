package dev.sharding.shedlock;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;

import dev.sharding.internal.kubernetes.lease.LeaseClock;

/**
 * Clocks that go on faster than those of the machine, and a wall clock that may be off.
 */
final class TestTime {

	private final AtomicReference<Duration> ahead = new AtomicReference<>(Duration.ZERO);

	private final AtomicReference<Duration> wall = new AtomicReference<>(Duration.ZERO);

	void advance(Duration duration) {
		this.ahead.updateAndGet((before) -> before.plus(duration));
	}

	void setWall(Duration off) {
		this.wall.set(off);
	}

	LeaseClock clock() {
		return new LeaseClock(() -> Instant.now().plus(this.ahead.get()).plus(this.wall.get()),
				() -> System.nanoTime() + this.ahead.get().toNanos());
	}

}
