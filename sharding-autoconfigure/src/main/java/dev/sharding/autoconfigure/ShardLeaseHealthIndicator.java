package dev.sharding.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

import dev.sharding.internal.autoconfigure.ring.RingFinding;
import dev.sharding.internal.autoconfigure.runtime.ShardPart;
import dev.sharding.internal.kubernetes.lease.LeaseStatus;
import dev.sharding.internal.kubernetes.lease.LeaseTerm;
import dev.sharding.internal.kubernetes.slot.StandbyStatus;
import dev.sharding.shard.RuntimePhase;

/**
 * Up while the shard holds its Lease and its ring is as its controllers need it; unknown
 * if it has nothing to join for.
 */
final class ShardLeaseHealthIndicator extends AbstractHealthIndicator {

	private final ShardPart part;

	ShardLeaseHealthIndicator(ShardPart part) {
		super("Failed to find out how the Lease of the shard is");
		this.part = part;
	}

	@Override
	protected void doHealthCheck(Health.Builder builder) {
		builder.withDetail("ring", this.part.shard().ring()).withDetail("shard", this.part.shard().name());
		if (!this.part.isStarted()) {
			builder.unknown().withDetail("started", false);
			return;
		}
		RuntimePhase phase = this.part.phase();
		LeaseStatus lease = this.part.lease();
		RingFinding ring = this.part.ring();
		if (lease == null) {
			standby(builder, phase, ring);
			return;
		}
		boolean broken = phase == RuntimePhase.FAILED || phase == RuntimePhase.ISOLATED || lease.failingSince() != null
				|| ring.isBroken();
		if (broken) {
			builder.down();
		}
		else if (lease.phase() == LeaseStatus.Phase.HELD) {
			builder.up();
		}
		else {
			builder.outOfService();
		}
		this.part.shard().heldLease().ifPresent((holder) -> builder.withDetail("lease", holder.config().path()));
		builder.withDetail("phase", phase).withDetail("leasePhase", lease.phase());
		LeaseTerm term = lease.term();
		detail(builder, "term", (term != null) ? term.number() : null);
		detail(builder, "leaseHeldBy", lease.waitingFor());
		detail(builder, "leaseFailingSince", lease.failingSince());
		detail(builder, "leaseError", lease.lastError());
		RuntimeException failure = this.part.shard().failure();
		detail(builder, "failure", (failure != null) ? failure.getMessage() : null);
		if (!ring.message().isEmpty()) {
			builder.withDetail("ringCheck", ring.message());
		}
	}

	/* To stand by is a good state: it is what a replica beyond the slots is for. */
	private void standby(Health.Builder builder, RuntimePhase phase, RingFinding ring) {
		StandbyStatus standby = this.part.shard().standby().orElse(null);
		boolean broken = phase == RuntimePhase.FAILED || phase == RuntimePhase.ISOLATED || ring.isBroken()
				|| (standby != null && standby.lastError() != null);
		if (broken) {
			builder.down();
		}
		else if (standby != null && standby.ready()) {
			builder.up();
		}
		else {
			builder.outOfService();
		}
		builder.withDetail("phase", phase);
		detail(builder, "standby", (standby != null) ? standby.text() : null);
		if (!ring.message().isEmpty()) {
			builder.withDetail("ringCheck", ring.message());
		}
	}

	private static void detail(Health.Builder builder, String name, @Nullable Object value) {
		if (value != null) {
			builder.withDetail(name, value.toString());
		}
	}

}
