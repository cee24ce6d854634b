package dev.sharding.autoconfigure;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

import dev.sharding.internal.autoconfigure.runtime.ControllerPart;
import dev.sharding.internal.kubernetes.lease.LeaseStatus;
import dev.sharding.internal.kubernetes.reconcile.Controller;
import dev.sharding.internal.kubernetes.reconcile.queue.ControllerStatus;
import dev.sharding.internal.kubernetes.usercode.StuckCall;
import dev.sharding.shard.RuntimePhase;

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
		String problem = this.part.workProblem();
		if (problem != null) {
			builder.down().withDetail("work", problem);
		}
		List<String> stuck = this.part.stuckCalls().stream().map(ReconcilersHealthIndicator::text).toList();
		if (!stuck.isEmpty()) {
			builder.withDetail("stuck", stuck);
		}
		for (Controller<?> controller : this.part.controllers()) {
			builder.withDetail(controller.spec().name(), details(controller.status()));
		}
	}

	private static String text(StuckCall call) {
		return "%s: %s%s for %d s".formatted(call.bean(), call.call(),
				call.object().isEmpty() ? "" : " of " + call.object(), call.running().toSeconds());
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
