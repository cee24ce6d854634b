package dev.sharding.test;

import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestPlan;

/**
 * Ends a run of tests, with status 70, when a cache was found to differ from the API
 * server, here or in a process that a test has started: nothing that was tested then is
 * worth a green light. JUnit finds it by itself. It does nothing unless the system
 * property {@code sharding.test.halt-on-mismatch} is true; caches are compared every
 * {@code sharding.cache.check-millis}.
 */
public final class MismatchGuard implements TestExecutionListener {

	/** For JUnit. */
	public MismatchGuard() {
	}

	@Override
	public void testPlanExecutionStarted(TestPlan testPlan) {
		MismatchWatch.begin();
	}

}
