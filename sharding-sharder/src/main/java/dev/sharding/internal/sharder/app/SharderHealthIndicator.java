package dev.sharding.internal.sharder.app;

import dev.sharding.internal.kubernetes.lease.LeaseStatus;
import dev.sharding.internal.sharder.ElectedSharder;
import dev.sharding.internal.sharder.ElectionStatus;
import dev.sharding.internal.sharder.HealthDetail;
import dev.sharding.internal.sharder.SharderStatus;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * Up while the sharder works, or stands by for the one that does. A resource that cannot
 * be served is a detail: its ring says so in its status, and all others are served.
 */
final class SharderHealthIndicator implements HealthIndicator {

	private final ElectedSharder sharder;

	SharderHealthIndicator(ElectedSharder sharder) {
		this.sharder = sharder;
	}

	@Override
	public Health health() {
		ElectionStatus election = this.sharder.status();
		Health.Builder health = election.isWorking() ? Health.up() : Health.down();
		health.withDetail("elected", election.isElected());
		LeaseStatus lease = election.lease();
		if (lease != null && lease.waitingFor() != null) {
			health.withDetail("leaseHeldBy", lease.waitingFor());
		}
		if (lease != null && lease.failingSince() != null) {
			health.withDetail("leaseError", String.valueOf(lease.lastError()));
		}
		if (election.sharder() != null) {
			details(health, election.sharder());
		}
		return health.build();
	}

	private static void details(Health.Builder health, SharderStatus status) {
		health.withDetail("rings", status.rings().objects()).withDetail("leases", status.leases().objects());
		if (status.rings().failingSince() != null) {
			health.withDetail("ringsError", String.valueOf(status.rings().lastError()));
		}
		if (status.leases().failingSince() != null) {
			health.withDetail("leasesError", String.valueOf(status.leases().lastError()));
		}
		if (!status.problems().isEmpty()) {
			health.withDetail("problems", HealthDetail.of(status.problems()));
		}
	}

}
