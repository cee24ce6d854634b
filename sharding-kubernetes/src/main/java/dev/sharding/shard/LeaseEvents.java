package dev.sharding.shard;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import io.fabric8.kubernetes.api.model.ObjectReference;
import io.fabric8.kubernetes.api.model.ObjectReferenceBuilder;
import org.jspecify.annotations.Nullable;

import dev.sharding.controller.EventRecorder;
import dev.sharding.internal.kubernetes.lease.LeaseHolderConfig;

/**
 * Records on the shard's Lease when the shard lost it, gave it back or gave up. A shard
 * without its Lease writes nothing, so a loss is recorded when the next term begins.
 */
final class LeaseEvents implements RuntimeListener {

	private final EventRecorder events;

	private final Supplier<@Nullable ObjectReference> lease;

	private final Supplier<@Nullable String> story;

	/** That of the last term, for what is told of it in the next one. */
	private @Nullable ObjectReference last;

	private final AtomicReference<@Nullable Loss> loss = new AtomicReference<>();

	/**
	 * Creates it.
	 * @param events records
	 * @param lease tells which Lease is held or wanted, {@code null} while that is not
	 * known
	 * @param story who took the Lease over from whom, {@code null} where nobody asks
	 */
	LeaseEvents(EventRecorder events, Supplier<@Nullable LeaseHolderConfig> lease, Supplier<@Nullable String> story) {
		this.events = events;
		this.story = story;
		this.lease = () -> {
			LeaseHolderConfig config = lease.get();
			return (config != null) ? reference(config) : null;
		};
	}

	private static ObjectReference reference(LeaseHolderConfig config) {
		return new ObjectReferenceBuilder().withApiVersion("coordination.k8s.io/v1")
			.withKind("Lease")
			.withNamespace(config.namespace())
			.withName(config.leaseName())
			.build();
	}

	@Override
	public void changed(RuntimePhase phase, String reason) {
		switch (phase) {
			case ACQUIRING, STANDBY -> remember("LeaseLost", "Renew", reason);
			case ISOLATED -> remember("Isolated", "Release", reason);
			case REFRESHING -> {
				recordLoss();
				recordTakeOver();
			}
			case FAILED -> warn(this.lease.get(), "GaveUp", "Acquire", reason);
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
		Loss lost = this.loss.getAndSet(null);
		ObjectReference present = this.lease.get();
		if (lost != null) {
			warn((this.last != null) ? this.last : present, lost.what(), lost.action(), lost.reason());
		}
		this.last = present;
	}

	private void recordTakeOver() {
		String told = this.story.get();
		if (told != null && this.last != null) {
			this.events.normal(this.last, "SlotTaken", "Acquire", told);
		}
	}

	private void warn(@Nullable ObjectReference about, String reason, String action, String note) {
		if (about != null) {
			this.events.warning(about, reason, action, note);
		}
	}

	private record Loss(String what, String action, String reason) {
	}

}
