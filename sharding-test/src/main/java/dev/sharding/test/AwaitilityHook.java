package dev.sharding.test;

import java.util.concurrent.atomic.AtomicBoolean;

import org.awaitility.Awaitility;

/**
 * Makes waits of Awaitility, where it is on the class path, end when the control plane
 * dies. A wait with a fail-fast condition of its own is not covered.
 */
final class AwaitilityHook {

	private static final AtomicBoolean installed = new AtomicBoolean();

	private AwaitilityHook() {
	}

	static void install() {
		if (installed.compareAndSet(false, true)) {
			try {
				// The current wait asks before each poll, in the waiting thread.
				Awaitility.setDefaultFailFastCondition("The control plane died", DeathWatch::check);
			}
			catch (NoClassDefFoundError ex) {
				// No Awaitility, no waits.
			}
		}
	}

}
