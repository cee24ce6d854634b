package dev.sharding.autoconfigure;

import java.util.Objects;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Matches if somebody asks for the leader election, or the user has said that there is to
 * be one.
 */
final class OnLeaderElectionCondition extends SpringBootCondition implements ConfigurationCondition {

	private static final String ENABLED = "sharding.leader-election.enabled";

	@Override
	public ConfigurationPhase getConfigurationPhase() {
		return ConfigurationPhase.REGISTER_BEAN;
	}

	@Override
	public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
		ConditionMessage.Builder message = ConditionMessage.forCondition("Leader election");
		if (context.getEnvironment().getProperty(ENABLED, Boolean.class, false)) {
			return ConditionOutcome.match(message.because("'" + ENABLED + "' is true"));
		}
		String user = LeaderElectionUsers.find(Objects.requireNonNull(context.getBeanFactory()));
		return (user != null) ? ConditionOutcome.match(message.because("bean '%s' asks for it".formatted(user)))
				: ConditionOutcome.noMatch(message.because("no bean asks for it"));
	}

}
