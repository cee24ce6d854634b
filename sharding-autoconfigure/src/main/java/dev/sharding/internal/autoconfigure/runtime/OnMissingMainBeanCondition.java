package dev.sharding.internal.autoconfigure.runtime;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.core.type.AnnotatedTypeMetadata;

import dev.sharding.internal.autoconfigure.settings.RingNames;

/**
 * Looks for the beans of {@link ConditionalOnMissingMainBean}.
 */
final class OnMissingMainBeanCondition extends SpringBootCondition implements ConfigurationCondition {

	@Override
	public ConfigurationPhase getConfigurationPhase() {
		return ConfigurationPhase.REGISTER_BEAN;
	}

	@Override
	public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
		Class<?> type = metadata.getAnnotations().get(ConditionalOnMissingMainBean.class).getClass("value");
		ConfigurableListableBeanFactory factory = Objects.requireNonNull(context.getBeanFactory());
		RingNames rings = RingNames.of(context.getEnvironment());
		List<String> found = Arrays
			.stream(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(factory, type, true, false))
			.filter((name) -> isCandidate(factory, name) && FurtherRings.ringOf(factory, name, rings) == null)
			.toList();
		ConditionMessage.Builder message = ConditionMessage.forCondition(ConditionalOnMissingMainBean.class);
		return found.isEmpty() ? ConditionOutcome.match(message.didNotFind("bean of " + type.getName()).atAll())
				: ConditionOutcome.noMatch(message.found("bean", "beans").items(found));
	}

	/* As Spring Boot's own condition has it. */
	static boolean isCandidate(ConfigurableListableBeanFactory factory, String name) {
		BeanDefinition definition = factory.containsBeanDefinition(name) ? factory.getBeanDefinition(name) : null;
		return definition == null || (definition.isAutowireCandidate()
				&& (!(definition instanceof AbstractBeanDefinition own) || own.isDefaultCandidate()));
	}

}
