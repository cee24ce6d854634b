package dev.sharding.autoconfigure;

import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.type.AnnotatedTypeMetadata;

import dev.sharding.controller.LeaderElectedController;

/**
 * Matches if there is a controller outside any ring, if there are no rings, or if
 * somebody asks for the leader election.
 */
final class OnLeaderElectedControllersCondition extends AnyNestedCondition {

	OnLeaderElectedControllersCondition() {
		super(ConfigurationPhase.REGISTER_BEAN);
	}

	@ConditionalOnBean(annotation = LeaderElectedController.class)
	static final class HasLeaderElectedController {

	}

	@Conditional(OnLeaderElectionCondition.class)
	static final class HasLeaderElection {

	}

	@Conditional(NotSharded.class)
	static final class IsNotSharded {

	}

	/** Reads the property as all others do, to whom 'off' and '0' are false as well. */
	static final class NotSharded implements Condition {

		@Override
		public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
			return !context.getEnvironment().getProperty("sharding.enabled", Boolean.class, true);
		}

	}

}
