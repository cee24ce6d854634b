package dev.sharding.internal.kubernetes.cache.check;

import dev.sharding.internal.kubernetes.informer.CheckResult;
import dev.sharding.resource.ResourceType;

/**
 * Hears when a cache was found to differ from the API server.
 */
@FunctionalInterface
public interface InconsistencyListener {

	/**
	 * A cache differs; its scope is being listed anew.
	 * @param type the resource
	 * @param result the version and the differing objects
	 */
	void found(ResourceType<?> type, CheckResult result);

	/**
	 * A read was answered with something that was not so; the scope is being listed anew.
	 * @param type the resource
	 * @param result the version and the differing objects
	 */
	default void foundInRead(ResourceType<?> type, CheckResult result) {
		found(type, result);
	}

}
