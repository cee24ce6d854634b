package dev.sharding.autoconfigure;

import dev.sharding.kubernetes.cache.IncomparableVersionsException;

/**
 * Explains why caches cannot do what the properties want.
 */
final class ReadCheck {

	private ReadCheck() {
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
