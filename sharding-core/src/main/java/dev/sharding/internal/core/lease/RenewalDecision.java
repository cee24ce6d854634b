package dev.sharding.internal.core.lease;

import java.time.Duration;

/**
 * What a shard that holds its Lease does next.
 */
public sealed interface RenewalDecision {

	/**
	 * Decides whether to renew. The clock of the Lease runs from the moment at which the
	 * last successful write was <em>sent</em>: its answer may have been long under way.
	 * @param lastSuccess when the last successful write of the Lease was sent
	 * @param lastAttempt when the last write of the Lease was sent, successful or not
	 * @param now the current moment
	 * @param timings the timings of the shard
	 * @param jitter a random number from 0 (included) to 1 (excluded), drawn once per
	 * attempt
	 * @return renew, wait or lost
	 */
	static RenewalDecision of(Moment lastSuccess, Moment lastAttempt, Moment now, RenewalTimings timings,
			double jitter) {
		Duration untilLost = timings.untilLost(lastSuccess, now);
		if (untilLost.isZero() || untilLost.isNegative()) {
			return new Lost(now.since(lastSuccess));
		}
		Duration untilDue = timings.retryAfter(jitter).minus(now.since(lastAttempt));
		if (untilDue.isZero() || untilDue.isNegative()) {
			return new Renew();
		}
		return new Wait((untilDue.compareTo(untilLost) < 0) ? untilDue : untilLost);
	}

	/**
	 * Send a renewal now.
	 */
	record Renew() implements RenewalDecision {
	}

	/**
	 * Ask again later.
	 *
	 * @param delay the time to wait, positive
	 */
	record Wait(Duration delay) implements RenewalDecision {
	}

	/**
	 * The shard can no longer prove its Lease: stop to act for it.
	 *
	 * @param since the time since the last successful renewal was sent
	 */
	record Lost(Duration since) implements RenewalDecision {
	}

}
