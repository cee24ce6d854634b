package dev.sharding.autoconfigure;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.NoneNestedConditions;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroupsPostProcessor;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;

/**
 * Auto-configuration for what the controllers have to say to the readiness of the
 * application.
 */
@AutoConfiguration(
		after = { ShardingAutoConfiguration.class, FurtherRingsAutoConfiguration.class,
				PlainControllersAutoConfiguration.class },
		afterName = "org.springframework.boot.health.autoconfigure.actuate.endpoint.AvailabilityProbesAutoConfiguration")
@ConditionalOnClass({ HealthEndpointGroupsPostProcessor.class, ConditionalOnEnabledHealthIndicator.class })
@ConditionalOnBean(ControllerPart.class)
@Conditional(ReadinessAutoConfiguration.OnReadiness.class)
public final class ReadinessAutoConfiguration {

	@Bean
	@ConditionalOnEnabledHealthIndicator(ReadinessGroups.CONTRIBUTOR)
	@ConditionalOnMissingBean(name = "shardingHealthIndicator")
	ReadinessHealthIndicator shardingHealthIndicator(ObjectProvider<ControllerPart> parts,
			ShardingProperties properties) {
		return new ReadinessHealthIndicator(parts.orderedStream().toList(), properties.readiness());
	}

	@Bean
	@ConditionalOnMissingBean
	ReadinessGroups shardingReadinessGroups() {
		return new ReadinessGroups();
	}

	/**
	 * Matches unless readiness is none of our business.
	 */
	static final class OnReadiness extends NoneNestedConditions {

		OnReadiness() {
			super(ConfigurationPhase.REGISTER_BEAN);
		}

		@ConditionalOnProperty(name = "sharding.readiness", havingValue = "off")
		static final class IsOff {

		}

	}

}
