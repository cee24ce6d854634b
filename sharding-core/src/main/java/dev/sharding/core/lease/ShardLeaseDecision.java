package dev.sharding.core.lease;

import java.time.Duration;

/**
 * What the sharder does with the Lease of a shard.
 */
public sealed interface ShardLeaseDecision {

	/**
	 * Decides what to do with a Lease (protocol section 3.3). It is taken only if its
	 * record says uncertain and the sharder itself has seen it unchanged for its duration
	 * while its own API calls succeeded: a shard that could not renew because the API
	 * server was away gets the time to do so. If all is well, that time has long passed
	 * when the record becomes uncertain, so fail-over takes two durations.
	 * @param seen what the sharder has seen of the Lease
	 * @param apiReachableSince since when the API calls of the sharder have succeeded
	 * without a gap
	 * @param now the current moment
	 * @return look again, take or delete
	 */
	static ShardLeaseDecision of(LeaseObservation seen, Moment apiReachableSince, Moment now) {
		LeaseTimes times = LeaseTimes.of(seen.lease(), now.wall());
		return switch (ShardState.of(seen.lease(), now.wall())) {
			case READY -> new LookAgain(times.toExpired());
			case EXPIRED -> seen.lease().isComplete() ? new LookAgain(times.toUncertain())
					// One that lacks a time would stay expired for ever.
					: takeOnceSeenUnchanged(seen, apiReachableSince, now,
							LeaseTimes.believed(seen.lease(), now.wall()).multipliedBy(2));
			case UNCERTAIN -> takeOnceSeenUnchanged(seen, apiReachableSince, now, times.leaseDuration());
			case DEAD -> new LookAgain(times.toOrphaned());
			case ORPHANED -> new Delete();
			case UNKNOWN -> throw new IllegalStateException("A Lease has a known state");
		};
	}

	private static ShardLeaseDecision takeOnceSeenUnchanged(LeaseObservation seen, Moment apiReachableSince, Moment now,
			Duration leaseDuration) {
		Duration unchanged = seen.unchangedFor(now);
		Duration reachable = now.observedSince(apiReachableSince);
		Duration left = leaseDuration.minus((unchanged.compareTo(reachable) < 0) ? unchanged : reachable);
		return (left.isZero() || left.isNegative()) ? new Take() : new LookAgain(left);
	}

	/**
	 * Nothing to do yet.
	 *
	 * @param delay the time after which to look again if no change is seen before,
	 * positive
	 */
	record LookAgain(Duration delay) implements ShardLeaseDecision {
	}

	/**
	 * The shard is gone: take its Lease, and so prove that it cannot renew any more.
	 */
	record Take() implements ShardLeaseDecision {
	}

	/**
	 * The Lease is left over: delete it, if it is still the one that was seen.
	 */
	record Delete() implements ShardLeaseDecision {
	}

}
