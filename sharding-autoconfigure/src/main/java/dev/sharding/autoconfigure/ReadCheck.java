package dev.sharding.autoconfigure;

import java.util.List;
import java.util.function.Consumer;

import dev.sharding.kubernetes.cache.BarrierNotPossibleException;
import dev.sharding.kubernetes.cache.IncomparableVersionsException;
import dev.sharding.kubernetes.reconcile.ControllerSpec;

/**
 * Explains why caches cannot do what the properties want.
 */
final class ReadCheck {

	private ReadCheck() {
	}

	/** Adds controllers at the start of the application. */
	static void add(List<ControllerSpec<?>> controllers, Consumer<ControllerSpec<?>> runtime) {
		try {
			controllers.forEach(runtime);
		}
		catch (BarrierNotPossibleException ex) {
			throw new ShardingStartupException(String.valueOf(ex.getMessage()),
					"Set 'sharding.cache.strategies.%s' to 'validated' or 'live', or remove it."
						.formatted(ex.resource()),
					ex);
		}
	}

	/** Runs a check at the start of the application. */
	static void run(Runnable check) {
		try {
			check.run();
		}
		catch (IncomparableVersionsException ex) {
			throw new ShardingStartupException(String.valueOf(ex.getMessage()),
					"Set 'sharding.cache.strategies.%s' to 'live', or remove it and 'sharding.cache.consistent-reads'."
						.formatted(ex.resource()),
					ex);
		}
	}

}
