package dev.sharding.josdk;

import io.javaoperatorsdk.operator.api.config.ControllerConfigurationOverrider;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;

/**
 * A bean that configures controllers, as the consumer does that is passed to
 * {@link io.javaoperatorsdk.operator.Operator#register(Reconciler, java.util.function.Consumer)}.
 * Called for each term of the Lease.
 */
@FunctionalInterface
public interface ReconcilerCustomizer {

	/**
	 * Configures the controller of a reconciler.
	 * @param reconciler the reconciler
	 * @param configuration what to change; a label selector is combined with that of the
	 * shard
	 */
	void customize(Reconciler<?> reconciler, ControllerConfigurationOverrider<?> configuration);

}
