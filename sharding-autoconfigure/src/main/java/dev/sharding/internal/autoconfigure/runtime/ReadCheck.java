package dev.sharding.internal.autoconfigure.runtime;

import java.util.List;
import java.util.function.Consumer;

import dev.sharding.controller.ControllerSpec;
import dev.sharding.internal.autoconfigure.settings.ShardingStartupException;
import dev.sharding.internal.kubernetes.cache.read.BarrierNotPossibleException;
import dev.sharding.internal.kubernetes.cache.read.IncomparableVersionsException;

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
