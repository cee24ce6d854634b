package dev.sharding.benchmarks.cluster;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for the world. */
public final class Waiting {

	private static final long LOOK_EVERY_MILLIS = 5;

	private Waiting() {
	}

	/**
	 * Returns when the condition holds.
	 * @param what what is waited for, for the message
	 * @param timeout how long at most
	 * @param condition asked every few milliseconds
	 * @throws IllegalStateException if it does not hold in time
	 */
	public static void until(String what, Duration timeout, BooleanSupplier condition) {
		long start = System.nanoTime();
		while (!condition.getAsBoolean()) {
			if (System.nanoTime() - start > timeout.toNanos()) {
				throw new IllegalStateException("Waited for " + what + " for " + timeout.toSeconds() + " s, in vain");
			}
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(LOOK_EVERY_MILLIS));
		}
	}

}
