package dev.sharding.shedlock;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

import dev.sharding.internal.kubernetes.lease.LeaseClock;

/**
 * Clocks that go on faster than those of the machine, and a wall clock that may be off.
 */
final class TestTime {

	private final AtomicReference<Duration> ahead = new AtomicReference<>(Duration.ZERO);

	private final AtomicReference<Duration> wall = new AtomicReference<>(Duration.ZERO);

	/* From when on the machine's clocks do not count. */
	private volatile @Nullable Stop stop;

	/** From now on only what is told to advance does. */
	void freeze() {
		this.stop = new Stop(Instant.now(), System.nanoTime());
	}

	void advance(Duration duration) {
		this.ahead.updateAndGet((before) -> before.plus(duration));
	}

	void setWall(Duration off) {
		this.wall.set(off);
	}

	LeaseClock clock() {
		return new LeaseClock(() -> machine().wall().plus(this.ahead.get()).plus(this.wall.get()),
				() -> machine().nanos() + this.ahead.get().toNanos());
	}

	private Stop machine() {
		Stop frozen = this.stop;
		return (frozen != null) ? frozen : new Stop(Instant.now(), System.nanoTime());
	}

	private record Stop(Instant wall, long nanos) {
	}

}
