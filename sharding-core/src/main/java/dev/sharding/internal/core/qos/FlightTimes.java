package dev.sharding.internal.core.qos;

/**
 * How long requests that fly at the same time take, to tell those who find no place when
 * to come back.
 *
 * @param meanNanos of those that ended lately; {@link Double#NaN} before the first one
 * did
 * @param firstAtNanos when the first one departed, on the monotonic clock
 */
public record FlightTimes(double meanNanos, long firstAtNanos) {

	private static final double WEIGHT = 0.3;

	/* As good as any other until there is something to go by. */
	private static final double UNKNOWN = 100e6;

	/**
	 * Returns the times of flights that begin now.
	 * @param now the monotonic clock in nanoseconds
	 * @return nothing is known of them
	 */
	public static FlightTimes from(long now) {
		return new FlightTimes(Double.NaN, now);
	}

	/**
	 * Learns from a flight that ended.
	 * @param nanos how long it took
	 * @return the times from now on
	 */
	public FlightTimes ended(long nanos) {
		return new FlightTimes(
				Double.isNaN(this.meanNanos) ? nanos : this.meanNanos + WEIGHT * (nanos - this.meanNanos),
				this.firstAtNanos);
	}

	/**
	 * Returns when there will be a place. Before the first flight has ended, each is
	 * taken to last as long again as the first one has by now.
	 * @param ahead how many others wait for one
	 * @param places how many fly at the same time, at least 1
	 * @param now the monotonic clock in nanoseconds
	 * @return nanoseconds from now, at least 1: an estimate
	 */
	public long untilPlace(int ahead, int places, long now) {
		double each = Double.isNaN(this.meanNanos) ? Math.max(UNKNOWN, now - this.firstAtNanos) : this.meanNanos;
		return (long) Math.max(1, each * (ahead + 1) / places);
	}

}
