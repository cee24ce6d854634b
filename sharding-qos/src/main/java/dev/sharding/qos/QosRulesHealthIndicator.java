package dev.sharding.qos;

import dev.sharding.internal.kubernetes.informer.InformerStatus;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Up while the rules of the ConfigMap are in force, or those of the configuration if it
 * has none; down while it cannot be read or its rules cannot be used.
 */
final class QosRulesHealthIndicator extends AbstractHealthIndicator {

	private final RulesConfigMap configMap;

	QosRulesHealthIndicator(RulesConfigMap configMap) {
		super("Failed to find out how the QoS rules are");
		this.configMap = configMap;
	}

	@Override
	protected void doHealthCheck(Health.Builder builder) {
		RulesOrigin origin = this.configMap.origin();
		builder.withDetail("configMap", this.configMap.toString()).withDetails(origin.details());
		InformerStatus status = this.configMap.status();
		if (status == null || !status.synced()) {
			builder.outOfService();
		}
		else {
			builder.up();
		}
		if (origin.refused() != null) {
			builder.down();
		}
		if (status != null && status.failingSince() != null) {
			builder.down().withDetail("lastError", String.valueOf(status.lastError()));
		}
	}

}
