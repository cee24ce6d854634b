package dev.sharding.josdk;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Explains an {@link OperatorSetupException}.
 */
final class OperatorFailureAnalyzer extends AbstractFailureAnalyzer<OperatorSetupException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, OperatorSetupException cause) {
		return new FailureAnalysis(cause.description(), cause.action(), cause);
	}

}
