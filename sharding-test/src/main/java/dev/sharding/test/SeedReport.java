package dev.sharding.test;

import java.util.Optional;

import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Tells with each failure in which order the tests ran, as some fail in that order only.
 * JUnit finds it by itself. It is silent elsewhere than in the build of this project.
 */
public final class SeedReport implements TestExecutionListener {

	private static final String SEED = "sharding.test.seed";

	private volatile Optional<String> seed = Optional.empty();

	/** For JUnit. */
	public SeedReport() {
	}

	@Override
	public void testPlanExecutionStarted(TestPlan testPlan) {
		this.seed = testPlan.getConfigurationParameters().get(SEED);
	}

	@Override
	public void executionFinished(TestIdentifier test, TestExecutionResult result) {
		if (result.getStatus() == TestExecutionResult.Status.FAILED) {
			this.seed.ifPresent((value) -> System.err
				.println(test.getDisplayName() + " failed in the order of -Dtest.seed=" + value));
		}
	}

}
