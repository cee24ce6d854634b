package dev.sharding.judge;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Judges how objects changed hands: {@code takenFromLiveOwner} and
 * {@code movedBeforeDerived}.
 */
final class HandOvers {

	/** Whom a Lease names that the sharder holds (docs/protocol, section 3.1). */
	private static final String SHARDER = "shardlease-controller";

	private final RingUnderTest ring;

	private final History history;

	private final Findings findings;

	private final Map<String, ObjectRef> leases = new HashMap<>();

	private final Map<ObjectRef, List<ObjectRef>> derived = new HashMap<>();

	HandOvers(RingUnderTest ring, History history, Findings findings) {
		this.ring = ring;
		this.history = history;
		this.findings = findings;
		for (ObjectRef object : history.objects()) {
			if (object.resource().equals("leases")) {
				this.leases.put(object.name(), object);
			}
			else if (ring.isControlled(object)) {
				ObjectRef main = mainOf(object);
				if (main != null) {
					this.derived.computeIfAbsent(main, (key) -> new ArrayList<>()).add(object);
				}
			}
		}
	}

	private @Nullable ObjectRef mainOf(ObjectRef object) {
		for (Revision revision : this.history.of(object)) {
			Body body = revision.body();
			ObjectRef main = (body != null) ? this.ring.mainOf(object, body.controller()) : null;
			if (main != null) {
				return main;
			}
		}
		return null;
	}

	void judge() {
		for (ObjectRef object : this.history.objects()) {
			if (this.ring.isMain(object)) {
				judge(object);
			}
			else if (this.ring.isControlled(object)) {
				judgeDerived(object);
			}
		}
	}

	private void judge(ObjectRef object) {
		String label = "";
		String lastOwner = "";
		for (Revision revision : this.history.of(object)) {
			String next = revision.label(this.ring.shardLabel());
			if (!label.isEmpty() && !next.equals(label) && revision.body() != null) {
				judgeTake(label, revision);
			}
			if (!next.isEmpty() && !next.equals(lastOwner)) {
				judgeOrder(object, next, revision);
				lastOwner = next;
			}
			label = next;
		}
	}

	/** Derived objects are free to go once the owner has let go of the main object. */
	private void judgeDerived(ObjectRef object) {
		ObjectRef main = mainOf(object);
		String label = "";
		for (Revision revision : this.history.of(object)) {
			String next = revision.label(this.ring.shardLabel());
			if (main != null && !label.isEmpty() && !next.equals(label) && revision.body() != null) {
				Revision owned = this.history.begunAt(main, revision.received());
				if (owned != null && label.equals(owned.label(this.ring.shardLabel()))) {
					judgeTake(label, revision);
				}
			}
			label = next;
		}
	}

	/** Only the owner itself lets go, unless the sharder holds its Lease. */
	private void judgeTake(String owner, Revision revision) {
		if (!owner.equals(revision.cause().shard()) && !isHeldBySharder(owner, revision.received())) {
			ObjectRef lease = this.leases.get(owner);
			Revision record = (lease != null) ? this.history.begunAt(lease, revision.received()) : null;
			this.findings.add(Counter.TAKEN_FROM_LIVE_OWNER, revision.received(),
					"%s: %s had it, and the sharder did not hold its Lease (%s)".formatted(revision.cause(), owner,
							(record != null) ? record.cause() : "there was none"));
		}
	}

	/** From the request that took or renewed it until the next one, or until its end. */
	private boolean isHeldBySharder(String shard, Instant time) {
		ObjectRef lease = this.leases.get(shard);
		Revision record = (lease != null) ? this.history.begunAt(lease, time) : null;
		Body body = (record != null) ? record.body() : null;
		return record != null && body != null && body.holder().equals(SHARDER)
				&& !time.isAfter(record.received().plusSeconds(body.durationSeconds()));
	}

	private void judgeOrder(ObjectRef object, String owner, Revision revision) {
		for (ObjectRef child : this.derived.getOrDefault(object, List.of())) {
			Revision state = this.history.at(child, revision.received());
			String label = (state != null) ? state.label(this.ring.shardLabel()) : owner;
			if (!label.equals(owner)) {
				this.findings.add(Counter.MOVED_BEFORE_DERIVED, revision.received(),
						"%s: %s got it while %s had the label '%s'".formatted(revision.cause(), owner, child, label));
				return;
			}
		}
	}

}
