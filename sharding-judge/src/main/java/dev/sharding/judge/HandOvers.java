package dev.sharding.judge;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * Judges how objects changed hands: {@code takenFromLiveOwner} and
 * {@code movedBeforeDerived}.
 */
final class HandOvers {

	private final RingUnderTest ring;

	private final History history;

	private final ShardLeases leases;

	private final Derived derived;

	private final Findings findings;

	HandOvers(RingUnderTest ring, History history, ShardLeases leases, Derived derived, Findings findings) {
		this.ring = ring;
		this.history = history;
		this.leases = leases;
		this.derived = derived;
		this.findings = findings;
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
		for (Revision revision : this.history.of(object)) {
			String next = revision.label(this.ring.shardLabel());
			if (!label.isEmpty() && !next.equals(label) && revision.body() != null) {
				judgeTake(label, revision);
			}
			// Whoever had it before may have it again.
			if (!next.isEmpty() && !next.equals(label)) {
				judgeOrder(object, next, revision);
			}
			label = next;
		}
	}

	/** Derived objects are free to go once the owner has let go of the main object. */
	private void judgeDerived(ObjectRef object) {
		ObjectRef main = this.derived.mainOf(object);
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
			Revision record = this.leases.begunAt(owner, revision.received());
			this.findings.add(Counter.TAKEN_FROM_LIVE_OWNER, revision.received(),
					"%s: %s had it, and the sharder did not hold its Lease (%s)".formatted(revision.cause(), owner,
							(record != null) ? record.cause() : "there was none"));
		}
	}

	/** From the request that took or renewed it until the next one, or until its end. */
	private boolean isHeldBySharder(String shard, Instant time) {
		Revision record = this.leases.begunAt(shard, time);
		return record != null && record.isHeldBy(ShardLeases.SHARDER)
				&& !time.isAfter(record.received().plusSeconds(record.lease().durationSeconds()));
	}

	/**
	 * What is made of it must have moved by then as it was answered, or at least as it
	 * was stored: the log says of an answer that it is complete later than others read
	 * what was stored. Of what was made meanwhile nobody could know.
	 */
	private void judgeOrder(ObjectRef object, String owner, Revision revision) {
		for (ObjectRef child : this.derived.of(object)) {
			Revision state = this.history.at(child, revision.received());
			if (!hasMoved(state, owner, revision)
					&& !hasMoved(this.history.storedBefore(child, revision), owner, revision)) {
				this.findings.add(Counter.MOVED_BEFORE_DERIVED, revision.received(),
						"%s: %s got it while %s had the label '%s'".formatted(revision.cause(), owner, child,
								(state != null) ? state.label(this.ring.shardLabel()) : ""));
				return;
			}
		}
	}

	/** What a former object of that name has left is nothing that the new owner made. */
	private boolean hasMoved(@Nullable Revision state, String owner, Revision main) {
		return state == null || state.label(this.ring.shardLabel()).equals(owner)
				|| (state.body() != null && main.body() != null && state.body().isOfFormer(main.body()));
	}

}
