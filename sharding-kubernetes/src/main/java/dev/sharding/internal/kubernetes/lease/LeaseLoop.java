package dev.sharding.internal.kubernetes.lease;

import java.time.Duration;
import java.util.concurrent.Executor;

/**
 * One thread that never blocks, where everything about a Lease is decided.
 */
interface LeaseLoop extends Executor {

	/**
	 * Runs {@code task} later, instead of what was to be woken up for before.
	 * @param delay how much later
	 * @param task what to run
	 */
	void wakeUpAfter(Duration delay, Runnable task);

}
