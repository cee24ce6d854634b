package dev.sharding.autoconfigure;

import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;

/**
 * Matches if there is a controller outside any ring, or if there are no rings.
 */
final class OnPlainControllersCondition extends AnyNestedCondition {

	OnPlainControllersCondition() {
		super(ConfigurationPhase.REGISTER_BEAN);
	}

	@ConditionalOnBean(annotation = PlainController.class)
	static final class HasPlainController {

	}

	@ConditionalOnBooleanProperty(name = "sharding.enabled", havingValue = false)
	static final class IsNotSharded {

	}

}
