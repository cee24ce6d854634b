package dev.sharding.josdk;

import io.javaoperatorsdk.operator.api.config.ConfigurationServiceOverrider;

/**
 * A bean that configures the operator, as the consumer does that is passed to the
 * constructor of an {@link io.javaoperatorsdk.operator.Operator}. Called for each term of
 * the Lease, as each has an operator of its own: an executor service must be a new one
 * each time, since the operator shuts it down. The client, and whether it is closed, are
 * not for the bean to set.
 */
@FunctionalInterface
public interface OperatorCustomizer {

	/**
	 * Configures the operator of the next term.
	 * @param configuration what to change
	 */
	void customize(ConfigurationServiceOverrider configuration);

}
