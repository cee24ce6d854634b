package dev.sharding.internal.core.slot;

import java.time.Duration;

import dev.sharding.internal.core.lease.Moment;
import org.jspecify.annotations.Nullable;

/**
 * What the sharder does with a Lease whose objects wait for the next holder.
 */
public sealed interface GraceDecision {

	/**
	 * Decides. As long as nobody else could have the objects, they stay where they are,
	 * and the grace does not run: whoever comes first after all have left is followed by
	 * others.
	 * @param lease what the Lease says; one that {@link SlotLease#isWaitedFor() is waited
	 * for}
	 * @param seen what was seen of its grace
	 * @param othersFor for how long another shard of the ring has been holding its Lease,
	 * the longest of them; {@code null} if none does
	 * @param now the current moment
	 * @return take or keep
	 */
	static GraceDecision of(SlotLease lease, GraceObservation seen, @Nullable Duration othersFor, Moment now) {
		if (othersFor == null) {
			return new Keep(SlotLease.LONGEST_GRACE);
		}
		Duration elapsed = seen.elapsed(now);
		Duration left = lease.grace().minus((othersFor.compareTo(elapsed) < 0) ? othersFor : elapsed);
		return (left.isZero() || left.isNegative()) ? new Take() : new Keep(left);
	}

	/**
	 * The grace is over: take the Lease, and move the objects while it is held.
	 */
	record Take() implements GraceDecision {
	}

	/**
	 * Leave the Lease alone: take no object, and do not delete it.
	 *
	 * @param delay the time after which to look again if neither the Lease nor the other
	 * shards change before, positive
	 */
	record Keep(Duration delay) implements GraceDecision {
	}

}
