package dev.sharding.internal.core.slot;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

import dev.sharding.internal.core.lease.LeaseRecord;
import dev.sharding.internal.core.lease.Moment;
import dev.sharding.internal.core.lease.ShardIdentity;

/**
 * Leases of slots, holders and moments for the tests.
 */
final class Slots {

	static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

	static final Duration LEASE = Duration.ofSeconds(15);

	static final Duration MOST = Duration.ofMinutes(10);

	static final SlotNames NAMES = new SlotNames("ring-abc", 6);

	private Slots() {
	}

	static Moment at(double seconds) {
		Duration passed = Duration.ofMillis((long) (seconds * 1_000));
		return new Moment(NOW.plus(passed), passed.toNanos());
	}

	static Instant wall(double seconds) {
		return at(seconds).wall();
	}

	static SlotHolder holder(int slot, String instance) {
		return new SlotHolder(new ShardIdentity(NAMES.name(slot), instance), LEASE, Duration.ofSeconds(30), 6, "t1");
	}

	/** A Lease as the API server has it after a create at {@code created}. */
	static SlotLease held(int slot, String instance, double created) {
		return stored(SlotWrites.create(holder(slot, instance), "ring", false, wall(created)), "uid-" + slot);
	}

	static SlotLease renewed(SlotLease lease, String instance, TermProgress progress, double at) {
		int slot = NAMES.number(lease.record().name()).orElseThrow();
		return SlotWrites.renew(lease, holder(slot, instance), "ring", progress, wall(at));
	}

	static SlotLease givenBack(SlotLease lease, double at) {
		return SlotWrites.giveBack(lease, new TermProgress(true, true, true), wall(at));
	}

	static SlotLease stored(SlotLease lease, String uid) {
		return new SlotLease(lease.record(), lease.ring(), uid, lease.annotations());
	}

	static SlotLease with(SlotLease lease, LeaseRecord record) {
		return new SlotLease(record, lease.ring(), lease.uid(), lease.annotations());
	}

	static SlotLease with(SlotLease lease, String annotation, String value) {
		Map<String, String> annotations = new HashMap<>(lease.annotations());
		annotations.put(annotation, value);
		return new SlotLease(lease.record(), lease.ring(), lease.uid(), annotations);
	}

	static Standby standby(double since) {
		return new Standby("ring", "me", LEASE, Duration.ofSeconds(30), "t1", at(since), at(since), true, Set.of());
	}

}
