package dev.sharding.internal.sharder.assignment.placement;

/**
 * How many objects of a ring are drained a second at most while it is rebalanced, so that
 * a new shard gets its share slowly. What no available shard owns is no matter of drains,
 * and never waits for it.
 *
 * @param perSecond the number of drains a second, 0 for as many as the shards keep up
 * with
 */
public record DrainBudget(double perSecond) {

	/** As many as the shards keep up with. */
	public static final DrainBudget NONE = new DrainBudget(0);

	private static final double LEAST = 0.01;

	private static final double MOST = 10_000;

	/**
	 * The property {@code sharding.sharder.drains-per-second}.
	 */
	public DrainBudget {
		if (perSecond != 0 && !(perSecond >= LEAST && perSecond <= MOST)) {
			throw new IllegalArgumentException(
					"'sharding.sharder.drains-per-second' must be 0 or from 0.01 to 10000 (is %s)"
						.formatted(perSecond));
		}
	}

}
