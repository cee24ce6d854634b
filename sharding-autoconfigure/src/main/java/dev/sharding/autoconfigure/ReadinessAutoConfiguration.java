package dev.sharding.autoconfigure;

import java.util.Locale;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroupsPostProcessor;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.core.type.AnnotatedTypeMetadata;

import dev.sharding.internal.autoconfigure.runtime.ControllerPart;
import dev.sharding.internal.autoconfigure.settings.ShardingProperties;
import dev.sharding.internal.autoconfigure.settings.ShardingProperties.Readiness;

/**
 * Auto-configuration for what the controllers have to say to the readiness of the
 * application.
 */
@AutoConfiguration(
		after = { ShardingAutoConfiguration.class, FurtherRingsAutoConfiguration.class,
				LeaderElectedControllersAutoConfiguration.class },
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
	static final class OnReadiness extends SpringBootCondition implements ConfigurationCondition {

		@Override
		public ConfigurationPhase getConfigurationPhase() {
			return ConfigurationPhase.REGISTER_BEAN;
		}

		@Override
		public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
			// To YAML, 'off' is a boolean.
			Readiness readiness = Binder.get(context.getEnvironment())
				.bind("sharding.readiness", Readiness.class)
				.orElse(Readiness.ONCE);
			return new ConditionOutcome(readiness != Readiness.OFF, ConditionMessage.forCondition("Readiness")
				.because("'sharding.readiness' is " + readiness.name().toLowerCase(Locale.ROOT)));
		}

	}

}
