package dev.sharding.autoconfigure;

import java.util.Map;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

import dev.sharding.kubernetes.PlainControllers;
import dev.sharding.kubernetes.RuntimePhase;
import dev.sharding.kubernetes.informer.InformerStatus;
import dev.sharding.kubernetes.lease.LeaseHolder;
import dev.sharding.kubernetes.lease.LeaseStatus;

/**
 * Up while the controllers outside any ring run, or are ready to take over from the
 * elected replica.
 */
final class PlainControllersHealthIndicator extends AbstractHealthIndicator {

	private final PlainControllers controllers;

	PlainControllersHealthIndicator(PlainControllers controllers) {
		super("Failed to find out how the controllers are");
		this.controllers = controllers;
	}

	@Override
	protected void doHealthCheck(Health.Builder builder) {
		RuntimePhase phase = this.controllers.phase();
		LeaseHolder holder = this.controllers.lease();
		LeaseStatus lease = (holder != null) ? holder.status() : null;
		boolean standby = phase == RuntimePhase.ACQUIRING && lease != null && lease.waitingFor() != null;
		builder.withDetail("phase", phase);
		if (phase == RuntimePhase.RUNNING || standby) {
			builder.up();
		}
		else {
			builder.outOfService();
		}
		if (lease != null && lease.waitingFor() != null) {
			builder.withDetail("leaseHeldBy", lease.waitingFor());
		}
		if (lease != null && lease.failingSince() != null) {
			builder.down().withDetail("leaseError", String.valueOf(lease.lastError()));
		}
		for (Map.Entry<String, InformerStatus> informer : this.controllers.informers().entrySet()) {
			if (informer.getValue().failingSince() != null) {
				builder.down().withDetail(informer.getKey(), String.valueOf(informer.getValue().lastError()));
			}
		}
	}

}
