package dev.sharding.autoconfigure;

import java.util.LinkedHashMap;
import java.util.Map;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

import dev.sharding.kubernetes.RuntimePhase;
import dev.sharding.kubernetes.lease.LeaseStatus;
import dev.sharding.kubernetes.reconcile.Controller;
import dev.sharding.kubernetes.reconcile.ControllerStatus;

/**
 * Up while the controllers of a part reconcile, or are ready to take over from the
 * elected replica; unknown if there are none. Objects that fail are a matter of these
 * objects.
 */
final class ReconcilersHealthIndicator extends AbstractHealthIndicator {

	private final ControllerPart part;

	ReconcilersHealthIndicator(ControllerPart part) {
		super("Failed to find out how the reconcilers are");
		this.part = part;
	}

	@Override
	protected void doHealthCheck(Health.Builder builder) {
		if (!this.part.isStarted()) {
			builder.unknown().withDetail("started", false);
			return;
		}
		RuntimePhase phase = this.part.phase();
		if (phase == RuntimePhase.FAILED || phase == RuntimePhase.ISOLATED) {
			builder.down();
		}
		else if (this.part.isReady()) {
			builder.up();
		}
		else {
			builder.outOfService();
		}
		builder.withDetail("phase", phase);
		LeaseStatus lease = this.part.lease();
		if (lease != null && lease.waitingFor() != null) {
			builder.withDetail("leaseHeldBy", lease.waitingFor());
		}
		if (lease != null && lease.failingSince() != null) {
			builder.down().withDetail("leaseError", String.valueOf(lease.lastError()));
		}
		for (Controller<?> controller : this.part.controllers()) {
			builder.withDetail(controller.spec().name(), details(controller.status()));
		}
	}

	/** The figures of a controller, also for the endpoint. */
	static Map<String, Object> details(ControllerStatus status) {
		Map<String, Object> details = new LinkedHashMap<>();
		details.put("queued", status.waiting().values().stream().mapToInt(Integer::intValue).sum());
		details.put("active", status.active());
		details.put("delayed", status.delayed());
		details.put("failing", status.failing());
		if (status.active() > 0) {
			details.put("longestRunning", status.longest().toString());
		}
		return details;
	}

}
