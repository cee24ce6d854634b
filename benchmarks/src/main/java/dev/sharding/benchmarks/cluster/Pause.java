package dev.sharding.benchmarks.cluster;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Lets time pass, while something else is measured. */
public final class Pause {

	private Pause() {
	}

	/** Returns no sooner than after this time. */
	public static void of(Duration duration) {
		long end = System.nanoTime() + duration.toNanos();
		for (long left = duration.toNanos(); left > 0; left = end - System.nanoTime()) {
			LockSupport.parkNanos(left);
		}
	}

}
