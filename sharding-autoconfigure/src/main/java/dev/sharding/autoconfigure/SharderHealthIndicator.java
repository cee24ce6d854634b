package dev.sharding.autoconfigure;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

import dev.sharding.internal.kubernetes.informer.InformerStatus;
import dev.sharding.internal.kubernetes.lease.LeaseStatus;
import dev.sharding.internal.sharder.ElectedSharder;
import dev.sharding.internal.sharder.ElectionStatus;
import dev.sharding.internal.sharder.HealthDetail;
import dev.sharding.internal.sharder.SharderStatus;

/**
 * Up while the sharder in this process works, or waits because another one does.
 */
final class SharderHealthIndicator extends AbstractHealthIndicator {

	private final ElectedSharder sharder;

	SharderHealthIndicator(ElectedSharder sharder) {
		super("Failed to find out how the sharder is");
		this.sharder = sharder;
	}

	@Override
	protected void doHealthCheck(Health.Builder builder) {
		ElectionStatus election = this.sharder.status();
		builder.status(election.isWorking() ? Status.UP : Status.DOWN).withDetail("elected", election.isElected());
		LeaseStatus lease = election.lease();
		if (lease != null && lease.waitingFor() != null) {
			builder.withDetail("leaseHeldBy", lease.waitingFor());
		}
		if (lease != null && lease.failingSince() != null) {
			builder.withDetail("leaseError", String.valueOf(lease.lastError()));
		}
		SharderStatus status = election.sharder();
		if (status != null) {
			builder.withDetail("rings", status.rings().objects()).withDetail("leases", status.leases().objects());
			error(builder, "ringsError", status.rings());
			error(builder, "leasesError", status.leases());
			if (!status.problems().isEmpty()) {
				builder.withDetail("problems", HealthDetail.of(status.problems()));
			}
		}
	}

	private static void error(Health.Builder builder, String name, InformerStatus watch) {
		if (watch.failingSince() != null) {
			builder.withDetail(name, String.valueOf(watch.lastError()));
		}
	}

}
