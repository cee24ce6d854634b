package dev.sharding.internal.autoconfigure.runtime;

import java.util.Objects;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.core.type.MethodMetadata;

import dev.sharding.internal.autoconfigure.settings.RingNames;

/**
 * Matches unless a bean of the user takes the place of the caches that the method makes.
 * By type alone this cannot be told, as there may be several caches.
 */
public final class OnOurCachesCondition extends SpringBootCondition implements ConfigurationCondition {

	@Override
	public ConfigurationPhase getConfigurationPhase() {
		return ConfigurationPhase.REGISTER_BEAN;
	}

	@Override
	public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
		ConfigurableListableBeanFactory factory = Objects.requireNonNull(context.getBeanFactory());
		RingNames rings = RingNames.of(context.getEnvironment());
		String ours = ((MethodMetadata) metadata).getMethodName();
		String used = ours.equals(Caches.SHARDED) ? Caches.sharded(factory, rings) : Caches.noRing(factory, rings);
		return new ConditionOutcome(used.equals(ours) && !factory.containsBean(ours),
				ConditionMessage.forCondition("Caches").because("bean '%s' is used".formatted(used)));
	}

}
