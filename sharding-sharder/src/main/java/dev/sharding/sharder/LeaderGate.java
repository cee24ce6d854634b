package dev.sharding.sharder;

import dev.sharding.core.fence.LeaseGate;
import dev.sharding.core.lease.Moment;
import dev.sharding.kubernetes.lease.LeaseClock;
import dev.sharding.kubernetes.lease.LeaseHolder;
import dev.sharding.kubernetes.lease.LeaseTerm;
import dev.sharding.kubernetes.rest.ApiRequest;
import dev.sharding.kubernetes.rest.RequestGate;
import org.jspecify.annotations.Nullable;

/**
 * Lets the requests of one term of a leader pass as long as that term can be proved: not
 * those that slept while it ended, and not those of an earlier term of the same process.
 */
final class LeaderGate implements RequestGate {

	private final LeaseHolder lease;

	private final long term;

	private final LeaseClock clock;

	LeaderGate(LeaseHolder lease, long term, LeaseClock clock) {
		this.lease = lease;
		this.term = term;
		this.clock = clock;
	}

	@Override
	public @Nullable String refusal(ApiRequest request) {
		LeaseTerm current = this.lease.term().orElse(null);
		if (current == null || current.number() != this.term) {
			return "not sent: this sharder is not the leader any more";
		}
		Moment now = this.clock.now();
		return current.validAt(now, LeaseGate.margin(current.duration())) ? null
				: "not sent: this sharder cannot prove its Lease %s".formatted(this.lease.config().path());
	}

}
