package dev.sharding.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

import dev.sharding.kubernetes.RuntimePhase;
import dev.sharding.kubernetes.Shard;
import dev.sharding.kubernetes.lease.LeaseStatus;

/**
 * Up while the shard holds its Lease and reconciles.
 */
final class ShardHealthIndicator extends AbstractHealthIndicator {

	private final Shard shard;

	private final ShardLifecycle lifecycle;

	ShardHealthIndicator(Shard shard, ShardLifecycle lifecycle) {
		super("Failed to find out how the shard is");
		this.shard = shard;
		this.lifecycle = lifecycle;
	}

	@Override
	protected void doHealthCheck(Health.Builder builder) {
		RuntimePhase phase = this.shard.phase();
		LeaseStatus lease = this.shard.lease().status();
		RingFinding ring = this.lifecycle.ring();
		boolean broken = phase == RuntimePhase.FAILED || phase == RuntimePhase.ISOLATED || lease.failingSince() != null
				|| ring.kind() == RingFinding.Kind.RING_ABSENT || ring.kind() == RingFinding.Kind.MISMATCH;
		if (broken) {
			builder.down();
		}
		else if (phase == RuntimePhase.RUNNING) {
			builder.up();
		}
		else {
			builder.outOfService();
		}
		builder.withDetail("ring", this.shard.ring())
			.withDetail("shard", this.shard.name())
			.withDetail("phase", phase)
			.withDetail("lease", lease.phase());
		detail(builder, "leaseHeldBy", lease.waitingFor());
		detail(builder, "leaseFailingSince", lease.failingSince());
		detail(builder, "leaseError", lease.lastError());
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
