package dev.sharding.internal.core.lease;

import java.time.Duration;
import java.time.Instant;

/**
 * Leases of shard-a and moments for the tests of who may have them.
 */
final class Observed {

	static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

	static final ShardIdentity SHARD = new ShardIdentity("shard-a", "me");

	private Observed() {
	}

	static Moment at(double seconds) {
		Duration passed = Duration.ofMillis((long) (seconds * 1_000));
		return new Moment(NOW.plus(passed), passed.toNanos());
	}

	static LeaseRecord lease(String holder, String instanceId, double renewed, int duration) {
		return new LeaseRecord("shard-a", holder, NOW, at(renewed).wall(), duration, 3, instanceId);
	}

}
