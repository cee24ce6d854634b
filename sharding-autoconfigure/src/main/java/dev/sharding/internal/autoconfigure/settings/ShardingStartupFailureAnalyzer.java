package dev.sharding.internal.autoconfigure.settings;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Explains a {@link ShardingStartupException}.
 */
public final class ShardingStartupFailureAnalyzer extends AbstractFailureAnalyzer<ShardingStartupException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, ShardingStartupException cause) {
		return new FailureAnalysis(cause.description(), cause.action(), cause);
	}

}
