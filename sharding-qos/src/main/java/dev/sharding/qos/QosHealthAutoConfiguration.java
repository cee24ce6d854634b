package dev.sharding.qos;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration for the health of rules that come from a ConfigMap.
 */
@AutoConfiguration(after = QosAutoConfiguration.class)
@ConditionalOnClass({ HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class })
public final class QosHealthAutoConfiguration {

	@Bean
	@ConditionalOnBean(RulesConfigMap.class)
	@ConditionalOnEnabledHealthIndicator("qosrules")
	@ConditionalOnMissingBean(name = "qosRulesHealthIndicator")
	HealthIndicator qosRulesHealthIndicator(RulesConfigMap configMap) {
		return new QosRulesHealthIndicator(configMap);
	}

}
