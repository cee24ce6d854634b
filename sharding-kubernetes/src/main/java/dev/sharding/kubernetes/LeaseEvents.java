package dev.sharding.kubernetes;

import java.util.concurrent.atomic.AtomicReference;

import io.fabric8.kubernetes.api.model.ObjectReference;
import io.fabric8.kubernetes.api.model.ObjectReferenceBuilder;
import org.jspecify.annotations.Nullable;

import dev.sharding.kubernetes.lease.LeaseHolderConfig;
import dev.sharding.kubernetes.reconcile.EventRecorder;

/**
 * Records on the shard's Lease when the shard lost it, gave it back or gave up. A shard
 * without its Lease writes nothing, so a loss is recorded when the next term begins.
 */
final class LeaseEvents implements RuntimeListener {

	private final EventRecorder events;

	private final ObjectReference lease;

	private final AtomicReference<@Nullable Loss> loss = new AtomicReference<>();

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
		switch (phase) {
			case ACQUIRING -> remember("LeaseLost", "Renew", reason);
			case ISOLATED -> remember("Isolated", "Release", reason);
			case REFRESHING -> recordLoss();
			case FAILED -> this.events.warning(this.lease, "GaveUp", "Acquire", reason);
			default -> {
			}
		}
	}

	private void remember(String what, String action, String reason) {
		if (!reason.isEmpty()) {
			this.loss.compareAndSet(null, new Loss(what, action, reason));
		}
	}

	private void recordLoss() {
		Loss last = this.loss.getAndSet(null);
		if (last != null) {
			this.events.warning(this.lease, last.what(), last.action(), last.reason());
		}
	}

	private record Loss(String what, String action, String reason) {
	}

}
