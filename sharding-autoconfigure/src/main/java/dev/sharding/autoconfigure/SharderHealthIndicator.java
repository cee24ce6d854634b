package dev.sharding.autoconfigure;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

import dev.sharding.kubernetes.informer.InformerStatus;
import dev.sharding.kubernetes.lease.LeaseStatus;
import dev.sharding.sharder.Sharder;
import dev.sharding.sharder.SharderStatus;

/**
 * Up while the sharder in this process works, or waits because another one does.
 */
final class SharderHealthIndicator extends AbstractHealthIndicator {

	private final EmbeddedSharder embedded;

	SharderHealthIndicator(EmbeddedSharder embedded) {
		super("Failed to find out how the sharder is");
		this.embedded = embedded;
	}

	@Override
	protected void doHealthCheck(Health.Builder builder) {
		LeaseStatus lease = this.embedded.lease().status();
		Sharder sharder = this.embedded.current();
		builder.up().withDetail("elected", lease.term() != null);
		if (lease.waitingFor() != null) {
			builder.withDetail("leaseHeldBy", lease.waitingFor());
		}
		if (lease.failingSince() != null) {
			builder.down().withDetail("leaseError", String.valueOf(lease.lastError()));
		}
		if (sharder != null) {
			SharderStatus status = sharder.status();
			if (!status.isWorking()) {
				builder.down();
			}
			builder.withDetail("rings", status.rings().objects()).withDetail("leases", status.leases().objects());
			error(builder, "ringsError", status.rings());
			error(builder, "leasesError", status.leases());
			if (!status.problems().isEmpty()) {
				builder.withDetail("problems", status.problems());
			}
		}
	}

	private static void error(Health.Builder builder, String name, InformerStatus watch) {
		if (watch.failingSince() != null) {
			builder.withDetail(name, String.valueOf(watch.lastError()));
		}
	}

}
