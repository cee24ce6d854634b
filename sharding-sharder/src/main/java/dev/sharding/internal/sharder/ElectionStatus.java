package dev.sharding.internal.sharder;

import dev.sharding.internal.kubernetes.lease.LeaseStatus;
import org.jspecify.annotations.Nullable;

/**
 * How a candidate fares.
 *
 * @param lease the Lease of the leader, {@code null} without an election
 * @param sharder the work, {@code null} unless this process is the leader
 */
public record ElectionStatus(@Nullable LeaseStatus lease, @Nullable SharderStatus sharder) {

	/**
	 * Tells whether this process is the leader.
	 * @return {@code true} if it acts
	 */
	public boolean isElected() {
		return this.sharder != null;
	}

	/**
	 * Tells whether this process works as a leader, or stands by for another one.
	 * @return {@code false} if it can do neither
	 */
	public boolean isWorking() {
		if (this.lease != null && this.lease.failingSince() != null) {
			return false;
		}
		return this.sharder == null || this.sharder.isWorking();
	}

}
