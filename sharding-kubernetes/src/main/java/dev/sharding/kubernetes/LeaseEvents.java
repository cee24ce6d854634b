package dev.sharding.kubernetes;

import io.fabric8.kubernetes.api.model.ObjectReference;
import io.fabric8.kubernetes.api.model.ObjectReferenceBuilder;

import dev.sharding.kubernetes.lease.LeaseHolderConfig;
import dev.sharding.kubernetes.reconcile.EventRecorder;

/**
 * Records on the shard's Lease when the shard lost it, gave it back or gave up.
 */
final class LeaseEvents implements RuntimeListener {

	private final EventRecorder events;

	private final ObjectReference lease;

	LeaseEvents(EventRecorder events, LeaseHolderConfig config) {
		this.events = events;
		this.lease = new ObjectReferenceBuilder().withApiVersion("coordination.k8s.io/v1")
			.withKind("Lease")
			.withNamespace(config.namespace())
			.withName(config.leaseName())
			.build();
	}

	@Override
	public void changed(RuntimePhase phase, String reason) {
		if (reason.isEmpty()) {
			return;
		}
		switch (phase) {
			case ACQUIRING -> this.events.warning(this.lease, "LeaseLost", "Renew", reason);
			case ISOLATED -> this.events.warning(this.lease, "Isolated", "Release", reason);
			case FAILED -> this.events.warning(this.lease, "GaveUp", "Acquire", reason);
			default -> {
			}
		}
	}

}
