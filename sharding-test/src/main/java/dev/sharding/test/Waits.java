package dev.sharding.test;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Waits for what takes a moment.
 */
final class Waits {

	private static final long POLL_MILLIS = 20;

	private Waits() {
	}

	/**
	 * Waits until a program answers.
	 * @throws ControlPlaneDiedException if it ends first
	 * @throws IllegalStateException if it does not answer in time
	 */
	static void untilReady(ManagedProcess process, Duration timeout, BooleanSupplier answers) {
		try {
			until(timeout, process.name(), () -> {
				boolean ready = answers.getAsBoolean();
				if (!ready && !process.isAlive()) {
					throw process.died();
				}
				return ready;
			});
		}
		catch (IllegalStateException ex) {
			throw new IllegalStateException(
					ex.getMessage() + ". The last lines of " + process.logFile() + ":\n" + process.lastLines(), ex);
		}
	}

	/**
	 * Waits until a condition holds.
	 * @param what what is waited for, for the message
	 * @throws IllegalStateException if it does not hold in time
	 */
	static void until(Duration timeout, String what, BooleanSupplier condition) {
		long start = System.nanoTime();
		while (!condition.getAsBoolean()) {
			if (System.nanoTime() - start > timeout.toNanos()) {
				throw new IllegalStateException(
						"Failed to wait for " + what + ": not ready within " + timeout.toSeconds() + " s");
			}
			try {
				TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				throw new IllegalStateException("Interrupted while waiting for " + what, ex);
			}
		}
	}

}
