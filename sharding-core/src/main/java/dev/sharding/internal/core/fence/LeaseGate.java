package dev.sharding.internal.core.fence;

import java.time.Duration;

import dev.sharding.internal.core.lease.Moment;

/**
 * The first gate: writes end before anybody else can get the Lease, whatever has been
 * paused, suspended or skewed meanwhile.
 */
public final class LeaseGate {

	private static final Duration LONGEST_MARGIN = Duration.ofSeconds(2);

	private static final Duration SHARED_BELOW = Duration.ofSeconds(15);

	private LeaseGate() {
	}

	/**
	 * Returns how much earlier than the Lease the right to write ends: 2 s, and for a
	 * Lease of less than 15 s the same share of it. This is what a write may take from
	 * the gate to the API server, and what clocks may drift apart within one Lease.
	 * @param leaseDuration the duration that the last renewal has written, positive
	 * @return the margin, positive and shorter than the duration
	 */
	public static Duration margin(Duration leaseDuration) {
		// Each write asks, and Duration divides by BigDecimal.
		return (leaseDuration.compareTo(SHARED_BELOW) < 0) ? Duration.ofNanos(leaseDuration.toNanos() * 2 / 15)
				: LONGEST_MARGIN;
	}

	/**
	 * Judges a write of a shard that holds its Lease as far as it knows. The time counts
	 * from the moment at which the last successful renewal was <em>sent</em>, on the
	 * clock on which more of it has passed.
	 * @param renewed when the last successful renewal was sent
	 * @param leaseDuration the duration that it has written
	 * @param now the current moment
	 * @return the decision
	 */
	public static FenceDecision judge(Moment renewed, Duration leaseDuration, Moment now) {
		Duration late = now.since(renewed).minus(leaseDuration.minus(margin(leaseDuration)));
		return late.isNegative() ? new FenceDecision.Allowed() : new FenceDecision.Refused(FenceGate.LEASE, late);
	}

	/**
	 * The decision for a shard that does not hold its Lease.
	 * @return refused
	 */
	public static FenceDecision withoutLease() {
		return new FenceDecision.Refused(FenceGate.LEASE, Duration.ZERO);
	}

}
