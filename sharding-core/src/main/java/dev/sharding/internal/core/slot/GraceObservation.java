package dev.sharding.internal.core.slot;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;

import dev.sharding.internal.core.lease.Moment;
import org.jspecify.annotations.Nullable;

/**
 * What the sharder has seen of one grace with its own eyes. It goes on over terms that
 * end before they have served, which carry its start on.
 *
 * @param start when the grace began, by the Lease; {@code null} while none runs
 * @param since since when that was seen
 */
public record GraceObservation(@Nullable Instant start, Moment since) {

	/**
	 * Begins to look at a Lease.
	 * @param lease what it says
	 * @param now the current moment
	 * @return the first observation
	 */
	public static GraceObservation first(SlotLease lease, Moment now) {
		return new GraceObservation(lease.graceStart(), now);
	}

	/**
	 * Adds another look.
	 * @param lease what it says now
	 * @param now the current moment
	 * @return the next observation
	 */
	public GraceObservation next(SlotLease lease, Moment now) {
		return Objects.equals(lease.graceStart(), this.start) ? this : first(lease, now);
	}

	/**
	 * Returns how much of the grace has passed: the larger one of its age on the wall
	 * clock and of the time that it was seen for, so that neither a clock nor a new
	 * sharder makes it last.
	 * @param now the current moment
	 * @return zero if none runs
	 */
	public Duration elapsed(Moment now) {
		if (this.start == null) {
			return Duration.ZERO;
		}
		Duration age = Duration.between(this.start, now.wall());
		Duration seen = now.observedSince(this.since);
		return (age.compareTo(seen) > 0) ? age : seen;
	}

}
