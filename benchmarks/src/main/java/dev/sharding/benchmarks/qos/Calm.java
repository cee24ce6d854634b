package dev.sharding.benchmarks.qos;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Moments at which the machine does not stall. What a stall holds up goes right after it,
 * so that a measurement that began or ended there would count it to the wrong side.
 */
final class Calm {

	private static final long NAP_NANOS = 2_000_000;

	private static final int NAPS = 250;

	private static final long PATIENCE_NANOS = 10_000_000_000L;

	private Calm() {
	}

	/** Returns after that long and when half a second went as it should. */
	static void after(Duration duration) {
		long end = System.nanoTime() + duration.toNanos();
		for (long left = duration.toNanos(); left > 0; left = end - System.nanoTime()) {
			LockSupport.parkNanos(left);
		}
		int onTime = 0;
		while (onTime < NAPS && System.nanoTime() - end < PATIENCE_NANOS) {
			long before = System.nanoTime();
			LockSupport.parkNanos(NAP_NANOS);
			onTime = (System.nanoTime() - before < 2 * NAP_NANOS) ? onTime + 1 : 0;
		}
	}

}
