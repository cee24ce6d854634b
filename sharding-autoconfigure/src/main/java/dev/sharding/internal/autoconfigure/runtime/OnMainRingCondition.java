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
 * Matches if the application is a shard of {@code sharding.ring}, has a controller that
 * needs that property, or a shard of the user that does not.
 */
public final class OnMainRingCondition extends SpringBootCondition implements ConfigurationCondition {

	@Override
	public ConfigurationPhase getConfigurationPhase() {
		return ConfigurationPhase.REGISTER_BEAN;
	}

	@Override
	public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
		ConfigurableListableBeanFactory factory = context.getBeanFactory();
		ConditionMessage.Builder message = ConditionMessage.forCondition("Ring of the application");
		RingNames rings = RingNames.of(context.getEnvironment());
		if (rings.main() != null) {
			return ConditionOutcome.match(message.foundExactly("'sharding.ring'"));
		}
		return (factory != null && ControllerBeans.needMainRing(factory, rings))
				? ConditionOutcome.match(message.because("there is a controller that needs it, or a shard"))
				: ConditionOutcome.noMatch(message.didNotFind("'sharding.ring'").atAll());
	}

}
