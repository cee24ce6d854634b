package dev.sharding.internal.sharder.assignment.placement;

import java.time.Duration;

/**
 * How long a shard may take to let go of an object.
 *
 * @param reportAfter after how long a drain that is not acknowledged is reported
 * @param forceAfter after how long the Lease of the shard is taken, which is the only
 * force there is and costs the shard all its objects; zero for never
 */
public record DrainPatience(Duration reportAfter, Duration forceAfter) {

	/** Reported after 30 s, never forced: one slow reconcile costs no shard its Lease. */
	public static final DrainPatience DEFAULT = new DrainPatience(Duration.ofSeconds(30), Duration.ZERO);

	/**
	 * The properties {@code sharding.sharder.drain-report-after} and
	 * {@code drain-timeout}.
	 */
	public DrainPatience {
		if (reportAfter.isNegative() || reportAfter.isZero()) {
			throw new IllegalArgumentException(
					"'sharding.sharder.drain-report-after' must be positive (is %s)".formatted(reportAfter));
		}
		if (forceAfter.isNegative() || (!forceAfter.isZero() && forceAfter.compareTo(reportAfter) < 0)) {
			throw new IllegalArgumentException(
					"'sharding.sharder.drain-timeout' must be 0 or not below 'sharding.sharder.drain-report-after' (are %s and %s)"
						.formatted(forceAfter, reportAfter));
		}
	}

}
