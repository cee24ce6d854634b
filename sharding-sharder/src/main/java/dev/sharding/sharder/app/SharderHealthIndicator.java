package dev.sharding.sharder.app;

import dev.sharding.sharder.Sharder;
import dev.sharding.sharder.SharderStatus;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * Reports whether rings and Leases are watched. A resource that cannot be served is a
 * detail: its ring says so in its status, and all others are served.
 */
final class SharderHealthIndicator implements HealthIndicator {

	private final Sharder sharder;

	SharderHealthIndicator(Sharder sharder) {
		this.sharder = sharder;
	}

	@Override
	public Health health() {
		SharderStatus status = this.sharder.status();
		Health.Builder health = status.isWorking() ? Health.up() : Health.down();
		health.withDetail("rings", status.rings().objects()).withDetail("leases", status.leases().objects());
		if (status.rings().failingSince() != null) {
			health.withDetail("ringsError", String.valueOf(status.rings().lastError()));
		}
		if (status.leases().failingSince() != null) {
			health.withDetail("leasesError", String.valueOf(status.leases().lastError()));
		}
		if (!status.problems().isEmpty()) {
			health.withDetail("problems", status.problems());
		}
		return health.build();
	}

}
