package dev.sharding.autoconfigure;

import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;

/**
 * Matches if the application is a shard, or wants to be one and has not said of which
 * ring.
 */
final class OnShardCondition extends AnyNestedCondition {

	OnShardCondition() {
		super(ConfigurationPhase.REGISTER_BEAN);
	}

	@ConditionalOnBean(annotation = ShardedController.class)
	static final class HasController {

	}

	@ConditionalOnProperty("sharding.ring")
	static final class HasRing {

	}

}
