package dev.sharding.internal.kubernetes.lease;

import java.time.Duration;
import java.time.Instant;
import java.util.function.BooleanSupplier;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import org.jspecify.annotations.Nullable;

import dev.sharding.internal.core.lease.LeaseRecord;
import dev.sharding.internal.core.lease.LeaseWrites;
import dev.sharding.internal.core.lease.ShardIdentity;
import dev.sharding.internal.core.slot.SharderMark;
import dev.sharding.internal.core.slot.SlotHolder;
import dev.sharding.internal.core.slot.SlotLease;
import dev.sharding.internal.core.slot.SlotWrites;
import dev.sharding.internal.core.slot.TermEnd;
import dev.sharding.internal.core.slot.TermProgress;
import dev.sharding.protocol.ShardingLabels;

/**
 * The Leases to send. What others have put on a Lease stays there.
 */
public final class LeaseContent {

	private final LeaseHolderConfig config;

	private final ShardIdentity identity;

	private final Duration duration;

	private volatile TermProgress progress = TermProgress.BEGUN;

	/**
	 * Creates it.
	 * @param config which Lease to hold, and as whom
	 */
	public LeaseContent(LeaseHolderConfig config) {
		this.config = config;
		this.identity = new ShardIdentity(config.identity(), config.instanceId());
		this.duration = config.timings().leaseDuration();
	}

	ShardIdentity identity() {
		return this.identity;
	}

	/** What a Lease says, as far as it is believed. */
	LeaseRecord believed(Lease lease) {
		return LeaseRecords.of(lease).capped(this.config.longest());
	}

	TermProgress progress() {
		return this.progress;
	}

	/** What is noted with the writes from now on. */
	void progress(TermProgress next) {
		this.progress = next;
	}

	Lease create(BooleanSupplier inUse, Instant now) {
		// Asked only where it is noted: the question has its price.
		return create(this.config.notes() != null && inUse.getAsBoolean(), now);
	}

	/**
	 * A new Lease.
	 * @param inUse whether objects bear the label of the shard
	 * @param now the current wall time
	 * @return the Lease to create
	 */
	public Lease create(boolean inUse, Instant now) {
		Lease empty = new LeaseBuilder().withNewMetadata()
			.withNamespace(this.config.namespace())
			.withName(this.config.leaseName())
			.endMetadata()
			.build();
		SlotHolder notes = this.config.notes();
		return labelled(
				(notes != null) ? LeaseRecords.write(empty, SlotWrites.create(notes, this.config.ring(), inUse, now))
						: LeaseRecords.write(empty, LeaseWrites.create(this.identity, this.duration, now)));
	}

	/**
	 * A Lease that is taken over.
	 * @param lease the Lease as it was seen
	 * @param now the current wall time
	 * @return the Lease to write in the version that was seen
	 */
	public Lease takeOver(Lease lease, Instant now) {
		SlotHolder notes = this.config.notes();
		return labelled((notes != null)
				? LeaseRecords.write(lease,
						SlotWrites.takeOver(LeaseRecords.slotLease(lease), notes, this.config.ring(), now))
				: LeaseRecords.write(lease,
						LeaseWrites.takeOver(LeaseRecords.of(lease), this.identity, this.duration, now)));
	}

	Lease renew(Lease lease, Instant now) {
		SlotHolder notes = this.config.notes();
		return labelled((notes != null)
				? LeaseRecords.write(lease,
						SlotWrites.renew(LeaseRecords.slotLease(lease), notes, this.config.ring(), this.progress, now))
				: LeaseRecords.write(touched(lease), LeaseWrites.renew(LeaseRecords.of(lease), this.duration, now)));
	}

	/** A Lease without holder; with the mark, where it is given back. */
	Lease release(Lease lease, TermEnd end, Instant now) {
		if (this.config.notes() == null) {
			return LeaseRecords.write(touched(lease), LeaseWrites.release(LeaseRecords.of(lease), now));
		}
		SlotLease seen = LeaseRecords.slotLease(lease);
		return LeaseRecords.write(lease, switch (end) {
			case GIVE_BACK -> SlotWrites.giveBack(seen, this.progress, now);
			case GIVE_BACK_TO_TOUCH -> SlotWrites.giveBackToTouch(seen, this.progress, now);
			case RELEASE, RUN_OUT -> SlotWrites.release(seen, now);
		});
	}

	/* A holder that notes nothing may follow one that did. */
	private Lease touched(Lease lease) {
		return (this.progress.touched() && isTouchDue(lease)) ? new LeaseBuilder(lease).editMetadata()
			.removeFromAnnotations(ShardingLabels.TOUCH_DUE)
			.endMetadata()
			.build() : lease;
	}

	/** Whether a Lease says that the objects of its shard have to be touched. */
	static boolean isTouchDue(@Nullable Lease lease) {
		return lease != null && LeaseRecords.slotLease(lease).isTouchDue();
	}

	private Lease labelled(Lease lease) {
		Lease labelled = new LeaseBuilder(lease).editMetadata().addToLabels(this.config.labels()).endMetadata().build();
		if (!this.config.honoursSlots()) {
			return labelled;
		}
		return new LeaseBuilder(labelled).editMetadata()
			.addToAnnotations(ShardingLabels.HONOURS_SLOTS, SharderMark.text(labelled.getSpec().getLeaseTransitions()))
			.endMetadata()
			.build();
	}

}
