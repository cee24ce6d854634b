package dev.sharding.autoconfigure;

import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.context.annotation.Conditional;

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

	@ConditionalOnBooleanProperty(name = "sharding.enabled", havingValue = false)
	static final class IsNotSharded {

	}

}
