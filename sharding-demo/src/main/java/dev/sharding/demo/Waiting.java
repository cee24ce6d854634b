package dev.sharding.demo;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for the world. */
public final class Waiting {

	private static final Duration LOOK_EVERY = Duration.ofMillis(50);

	private Waiting() {
	}

	/**
	 * Returns when the condition holds.
	 * @throws IllegalStateException if that takes longer than the time-out
	 */
	public static void until(String what, Duration timeout, BooleanSupplier condition) {
		if (!holds(timeout, condition)) {
			throw new IllegalStateException("Waited for " + what + " for " + timeout.toSeconds() + " s, in vain");
		}
	}

	/** Lets time pass. */
	public static void pause(Duration duration) {
		boolean unused = holds(duration, () -> false);
	}

	/** Returns true when the condition holds, false after the time-out. */
	public static boolean holds(Duration timeout, BooleanSupplier condition) {
		long start = System.nanoTime();
		while (!condition.getAsBoolean()) {
			if (System.nanoTime() - start > timeout.toNanos()) {
				return false;
			}
			LockSupport.parkNanos(LOOK_EVERY.toNanos());
			if (Thread.currentThread().isInterrupted()) {
				throw new IllegalStateException("Interrupted while waiting");
			}
		}
		return true;
	}

}
