package dev.sharding.internal.sharder.app.management;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Says what to do about a port that cannot be had.
 */
final class ListenFailureAnalyzer extends AbstractFailureAnalyzer<ListenException> {

	@Override
	protected @Nullable FailureAnalysis analyze(Throwable failure, ListenException cause) {
		return new FailureAnalysis("The sharder could not start: " + cause.getMessage(),
				"End the process that listens on port %d, or set '%s' to another port; 0 is any free one."
					.formatted(cause.port(), cause.property()),
				cause);
	}

}
