package dev.sharding.internal.core.lease;

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
	 * when the record becomes uncertain, so fail-over takes two durations. Whatever its
	 * times say, nobody renews a Lease that was seen unchanged for twice the longest
	 * duration.
	 * @param seen what the sharder has seen of the Lease
	 * @param claim how long the claims of the shard may last
	 * @param longest the longest duration that is believed
	 * @param apiReachableSince since when the API calls of the sharder have succeeded
	 * without a gap
	 * @param now the current moment
	 * @return look again, take or delete
	 */
	static ShardLeaseDecision of(LeaseObservation seen, Duration claim, Duration longest, Moment apiReachableSince,
			Moment now) {
		LeaseTimes times = LeaseTimes.of(seen.lease(), now.wall());
		Duration silent = shorter(seen.unchangedFor(now), now.observedSince(apiReachableSince));
		// One that lacks a time would stay expired for ever.
		Duration toUncertain = seen.lease().isComplete() ? times.toUncertain() : Duration.ZERO;
		Duration byItsTimes = longer(toUncertain, times.leaseDuration().minus(silent));
		Duration left = longer(claim, shorter(byItsTimes, longest.multipliedBy(2).minus(silent)));
		return switch (ShardState.of(seen.lease(), now.wall())) {
			case READY -> takeAfter(left, times.toExpired());
			case EXPIRED -> takeAfter(left, seen.lease().isComplete() ? toUncertain : left);
			case UNCERTAIN -> takeAfter(left, left);
			case DEAD -> new LookAgain(times.toOrphaned());
			case ORPHANED -> new Delete();
			case UNKNOWN -> throw new IllegalStateException("A Lease has a known state");
		};
	}

	private static ShardLeaseDecision takeAfter(Duration left, Duration toNextState) {
		return (left.isZero() || left.isNegative()) ? new Take() : new LookAgain(shorter(left, toNextState));
	}

	private static Duration shorter(Duration one, Duration other) {
		return (one.compareTo(other) < 0) ? one : other;
	}

	private static Duration longer(Duration one, Duration other) {
		return (one.compareTo(other) > 0) ? one : other;
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
