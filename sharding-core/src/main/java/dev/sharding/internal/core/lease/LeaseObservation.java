package dev.sharding.internal.core.lease;

import java.time.Duration;
import java.util.Objects;

/**
 * What somebody has seen of a Lease with its own eyes. Times in a record come from the
 * clock of its holder; how long a record was seen unchanged comes from one's own, so that
 * skewed clocks do no harm.
 *
 * @param lease what the Lease said last
 * @param since since when nothing of it was seen to change, whoever changes it
 * @param moved whether the present holder changed the record while it was observed, which
 * proves that it lives
 */
public record LeaseObservation(LeaseRecord lease, Moment since, boolean moved) {

	/**
	 * Begins to observe a Lease.
	 * @param lease what the Lease says
	 * @param now the moment at which it was asked for
	 * @return the first observation
	 */
	public static LeaseObservation first(LeaseRecord lease, Moment now) {
		return new LeaseObservation(lease, now, false);
	}

	/**
	 * Adds another look at the Lease. Labels and the resource version do not matter: the
	 * sharder itself writes a label.
	 * @param lease what the Lease says now
	 * @param now the moment at which it was asked for
	 * @return the next observation
	 */
	public LeaseObservation next(LeaseRecord lease, Moment now) {
		if (lease.equals(this.lease)) {
			return this;
		}
		boolean sameHolder = Objects.equals(this.lease.holderIdentity(), lease.holderIdentity());
		boolean renewed = !Objects.equals(this.lease.renewTime(), lease.renewTime())
				|| !Objects.equals(this.lease.leaseTransitions(), lease.leaseTransitions());
		return new LeaseObservation(lease, now, sameHolder && !lease.isReleased() && (renewed || this.moved));
	}

	/**
	 * Returns for how long the record was seen unchanged.
	 * @param now the current moment
	 * @return the time for sure, on the monotonic clock
	 */
	public Duration unchangedFor(Moment now) {
		return now.observedSince(this.since);
	}

}
