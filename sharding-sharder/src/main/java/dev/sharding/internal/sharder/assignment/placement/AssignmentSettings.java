package dev.sharding.internal.sharder.assignment.placement;

import java.time.Duration;

/**
 * How the objects of a ring are assigned.
 *
 * @param syncPeriod time between the end of a resync and the beginning of the next
 * @param concurrentMoves number of patches in flight at a time
 * @param mode who assigns objects that have no shard
 * @param drainPatience how long a shard may take to let go of an object
 * @param drainBudget how fast shards are asked to let go of objects
 */
public record AssignmentSettings(Duration syncPeriod, int concurrentMoves, AssignmentMode mode,
		DrainPatience drainPatience, DrainBudget drainBudget) {

	public AssignmentSettings {
		if (syncPeriod.isNegative() || syncPeriod.isZero()) {
			throw new IllegalArgumentException("'syncPeriod' must be positive (is %s)".formatted(syncPeriod));
		}
		if (concurrentMoves < 1) {
			throw new IllegalArgumentException("'concurrentMoves' must be positive (is %d)".formatted(concurrentMoves));
		}
	}

}
