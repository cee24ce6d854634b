package dev.sharding.internal.sharder;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.function.UnaryOperator;

import dev.sharding.internal.core.lease.ShardIdentity;
import dev.sharding.internal.core.slot.SlotHolder;
import dev.sharding.internal.core.slot.SlotLease;
import dev.sharding.internal.core.slot.SlotWrites;
import dev.sharding.internal.core.slot.TermProgress;
import dev.sharding.internal.kubernetes.lease.LeaseRecords;
import dev.sharding.protocol.ShardingLabels;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;

/**
 * What the processes that hold slots do to their Leases, by the laws of slots. They hold
 * them for as long as a test takes, as their clocks are ahead.
 */
final class Slots {

	private static final Duration LEASE = Duration.ofSeconds(15);

	private final World world;

	private final Duration grace;

	Slots(World world, Duration grace) {
		this.world = world;
		this.grace = grace;
	}

	/** A slot that has a holder from the start. */
	void create(String slot) {
		SlotLease created = SlotWrites.create(holder(slot, "first-of-" + slot), this.world.ring, false, ahead());
		this.world.client.resource(LeaseRecords.write(new LeaseBuilder().withNewMetadata()
			.withNamespace(this.world.namespace)
			.withName(slot)
			.addToLabels(ShardingLabels.LEASE_RING, this.world.ring)
			.endMetadata()
			.build(), created)).create();
	}

	/** Its holder has served, and gives it back. */
	void giveBack(String slot) {
		write(slot, (seen) -> SlotWrites.giveBack(seen, new TermProgress(true, true, true), Instant.now()));
	}

	/** Its holder gives it back before it has served. */
	void giveBackUnserved(String slot) {
		write(slot, (seen) -> SlotWrites.giveBack(seen, new TermProgress(true, false, true), Instant.now()));
	}

	/** Another process takes it. */
	void take(String slot, String instance) {
		write(slot, (seen) -> SlotWrites.takeOver(seen, holder(slot, instance), this.world.ring, ahead()));
	}

	/** What is noted of when its objects began to wait becomes older than it is. */
	void backdate(String slot, Duration by) {
		this.world.editLease(slot, (lease) -> {
			lease.getMetadata()
				.getAnnotations()
				.computeIfPresent(ShardingLabels.GRACE_START,
						(same, start) -> Instant.parse(start).minus(by).toString());
			return lease;
		});
	}

	/** Its holder has had it for long. */
	void acquiredLongAgo(String slot) {
		this.world.editLease(slot, (lease) -> {
			lease.getSpec().setAcquireTime(ZonedDateTime.now(ZoneOffset.UTC).minusHours(1));
			return lease;
		});
	}

	SlotLease lease(String slot) {
		return LeaseRecords.slotLease(this.world.lease(slot));
	}

	private void write(String slot, UnaryOperator<SlotLease> change) {
		World.retrying(() -> {
			Lease lease = this.world.lease(slot);
			this.world.client.resource(LeaseRecords.write(lease, change.apply(LeaseRecords.slotLease(lease)))).update();
		});
	}

	private SlotHolder holder(String slot, String instance) {
		return new SlotHolder(new ShardIdentity(slot, instance), LEASE, this.grace, 6, null);
	}

	private static Instant ahead() {
		return Instant.now().plus(1, ChronoUnit.HOURS);
	}

}
