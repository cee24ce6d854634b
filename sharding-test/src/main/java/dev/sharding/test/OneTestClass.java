package dev.sharding.test;

import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/**
 * Runs the tests of one class in a JVM of their own, for tests of what may end a JVM.
 */
final class OneTestClass {

	private OneTestClass() {
	}

	/** Ends with the number of failures. */
	public static void main(String[] arguments) {
		SummaryGeneratingListener summary = new SummaryGeneratingListener();
		LauncherFactory.create()
			.execute(LauncherDiscoveryRequestBuilder.request()
				.selectors(DiscoverySelectors.selectClass(arguments[0]))
				.build(), summary);
		System.exit((int) summary.getSummary().getTotalFailureCount());
	}

}
