package dev.sharding.internal.autoconfigure.runtime;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.core.type.AnnotatedTypeMetadata;

import dev.sharding.internal.autoconfigure.settings.RingNames;

/**
 * Matches if the application is a shard, or wants to be one and has not said of which
 * ring.
 */
public final class OnShardCondition extends SpringBootCondition implements ConfigurationCondition {

	@Override
	public ConfigurationPhase getConfigurationPhase() {
		return ConfigurationPhase.REGISTER_BEAN;
	}

	@Override
	public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
		RingNames rings = RingNames.of(context.getEnvironment());
		ConfigurableListableBeanFactory factory = context.getBeanFactory();
		ConditionMessage.Builder message = ConditionMessage.forCondition("Shard");
		if (!rings.enabled()) {
			return ConditionOutcome.noMatch(message.because("'sharding.enabled' is false"));
		}
		if (rings.any()) {
			return ConditionOutcome.match(message.because("there is a ring"));
		}
		return (factory != null && ControllerBeans.needMainRing(factory, rings))
				? ConditionOutcome.match(message.because("there is a controller that needs a ring, or a shard"))
				: ConditionOutcome
					.noMatch(message.because("there is neither a ring, a controller that needs one, nor a shard"));
	}

}
