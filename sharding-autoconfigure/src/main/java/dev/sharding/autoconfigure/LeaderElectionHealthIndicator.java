package dev.sharding.autoconfigure;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

import dev.sharding.internal.autoconfigure.runtime.LeaderElectedPart;
import dev.sharding.internal.kubernetes.lease.LeaseStatus;
import dev.sharding.leadership.LeaderElection;

/**
 * Up while this replica is the leader, or waits because another one is.
 */
final class LeaderElectionHealthIndicator extends AbstractHealthIndicator {

	private final LeaderElection election;

	private final LeaderElectedPart part;

	LeaderElectionHealthIndicator(LeaderElection election, LeaderElectedPart part) {
		super("Failed to find out how the leader election is");
		this.election = election;
		this.part = part;
	}

	@Override
	protected void doHealthCheck(Health.Builder builder) {
		LeaseStatus lease = this.part.lease();
		if (lease != null && lease.failingSince() != null) {
			builder.down().withDetail("leaseError", String.valueOf(lease.lastError()));
		}
		else if (!this.part.isStarted()) {
			// It has no work: an election of the user is the one that is asked.
			builder.unknown();
		}
		else if (this.part.isReady()) {
			builder.up();
		}
		else {
			builder.outOfService();
		}
		builder.withDetail("leader", this.election.isLeader());
		if (lease != null && lease.waitingFor() != null) {
			builder.withDetail("leaseHeldBy", lease.waitingFor());
		}
	}

}
