package dev.sharding.judge;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The Leases of the shards of one ring, in whatever namespace, and the terms of the
 * processes that held them. A Lease belongs to the ring whose label it ever had.
 */
final class ShardLeases {

	/** Whom a Lease names that the sharder holds (docs/protocol, section 3.1). */
	static final String SHARDER = "shardlease-controller";

	private final History history;

	private final Map<String, List<ObjectRef>> byShard = new HashMap<>();

	ShardLeases(RingUnderTest ring, History history) {
		this.history = history;
		for (ObjectRef object : history.objects()) {
			boolean ofRing = object.isLease() && history.of(object)
				.stream()
				.anyMatch((revision) -> ring.name().equals(revision.label(RingUnderTest.ringLabel())));
			if (ofRing) {
				this.byShard.computeIfAbsent(object.name(), (name) -> new ArrayList<>()).add(object);
			}
		}
	}

	Collection<String> shards() {
		return this.byShard.keySet();
	}

	boolean contains(ObjectRef lease) {
		return this.byShard.getOrDefault(lease.name(), List.of()).contains(lease);
	}

	List<ObjectRef> of(String shard) {
		return this.byShard.getOrDefault(shard, List.of());
	}

	/** The state of the shard's Lease that was begun last by that time. */
	@Nullable Revision begunAt(String shard, Instant time) {
		Revision last = null;
		for (ObjectRef lease : of(shard)) {
			Revision revision = this.history.begunAt(lease, time);
			if (revision != null && (last == null || revision.received().isAfter(last.received()))) {
				last = revision;
			}
		}
		return last;
	}

	/**
	 * The first request by which the sharder took the shard's Lease after a state of it,
	 * null if it did not.
	 */
	@Nullable AuditEvent takenAfter(String shard, AuditEvent state) {
		Revision before = null;
		for (Revision revision : this.history.of(state.object())) {
			AuditEvent cause = revision.cause();
			boolean later = cause.completed().isAfter(state.completed())
					&& (cause.version() == null || cause.mayHaveTakenEffectAfter(state));
			if (later && revision.isTakenFrom(shard, before)) {
				return cause;
			}
			before = revision;
			if (later && revision.isHeldBy(shard) && shard.equals(cause.shard())) {
				return null;
			}
		}
		return null;
	}

	/**
	 * The times in which a process held the Lease of the shard, each from the request
	 * that began it until its last renewal: then it was alive for certain.
	 */
	List<Term> terms(String shard) {
		List<Term> terms = new ArrayList<>();
		for (ObjectRef lease : of(shard)) {
			Term open = null;
			for (Revision revision : this.history.of(lease)) {
				AuditEvent cause = revision.cause();
				boolean own = shard.equals(cause.shard()) && revision.isHeldBy(shard);
				if (open != null && (!revision.isHeldBy(shard) || own && !open.goesOn(revision))) {
					terms.add(open);
					open = null;
				}
				if (own) {
					open = new Term(cause.user(), (open != null) ? open.from() : cause.completed(), cause.received(),
							Duration.ofSeconds(revision.lease().durationSeconds()));
				}
			}
			if (open != null) {
				terms.add(open);
			}
		}
		return terms;
	}

	/**
	 * @param from when it had begun
	 * @param lastRenewal when its last renewal was received
	 */
	record Term(String user, Instant from, Instant lastRenewal, Duration duration) {

		private boolean goesOn(Revision renewal) {
			return renewal.cause().user().equals(this.user)
					&& !renewal.received().isAfter(this.lastRenewal.plus(this.duration));
		}

	}

}
