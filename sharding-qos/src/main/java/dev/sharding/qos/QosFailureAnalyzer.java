package dev.sharding.qos;

import dev.sharding.qos.spi.InvalidQosException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Explains classes and rules that cannot be used.
 */
final class QosFailureAnalyzer extends AbstractFailureAnalyzer<InvalidQosException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, InvalidQosException cause) {
		return new FailureAnalysis("The QoS rules cannot be used: " + cause.getMessage(),
				"Change '%s' below 'sharding.qos.classes' or 'sharding.qos.rules'.".formatted(cause.offender()), cause);
	}

}
