package dev.sharding.internal.core.lease;

import java.time.Duration;
import java.time.Instant;

/**
 * One moment on two clocks. Neither suffices: the wall clock can be set, and the
 * monotonic clock may stand still while the machine is suspended.
 *
 * @param wall the wall time
 * @param nanos the monotonic time in nanoseconds, from an arbitrary start, as
 * {@code System.nanoTime} has it
 */
public record Moment(Instant wall, long nanos) {

	/**
	 * Returns how much time has passed at most: the larger one of what the two clocks
	 * say. For whoever must stop in time.
	 * @param earlier a moment on the same clocks
	 * @return the time since then, not negative
	 */
	public Duration since(Moment earlier) {
		Duration monotonic = observedSince(earlier);
		Duration wall = Duration.between(earlier.wall, this.wall);
		return (wall.compareTo(monotonic) > 0) ? wall : monotonic;
	}

	/**
	 * Returns how much time has passed for sure: what the monotonic clock says. For
	 * whoever must not begin too early.
	 * @param earlier a moment on the same clocks
	 * @return the time since then, not negative
	 */
	public Duration observedSince(Moment earlier) {
		return Duration.ofNanos(Math.max(0, this.nanos - earlier.nanos));
	}

}
