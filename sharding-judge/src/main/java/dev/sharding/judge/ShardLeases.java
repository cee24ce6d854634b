package dev.sharding.judge;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

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

	/** The names of those of other rings. */
	private final Set<String> others = new HashSet<>();

	ShardLeases(RingUnderTest ring, History history) {
		this.history = history;
		for (ObjectRef object : history.objects()) {
			if (object.isLease()) {
				Set<String> rings = new HashSet<>();
				history.of(object).forEach((revision) -> rings.add(revision.label(RingUnderTest.ringLabel())));
				if (rings.contains(ring.name())) {
					this.byShard.computeIfAbsent(object.name(), (name) -> new ArrayList<>()).add(object);
				}
				else if (rings.stream().anyMatch((name) -> !name.isEmpty())) {
					this.others.add(object.name());
				}
			}
		}
	}

	Collection<String> shards() {
		return this.byShard.keySet();
	}

	/** Whether it is a shard of other rings only, by all that is known of it. */
	boolean isOfAnother(String shard) {
		return this.others.contains(shard) && !this.byShard.containsKey(shard);
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
	 * The first request that was stored after a write of the shard's Lease and ended the
	 * term of its process, null if there is none.
	 */
	@Nullable AuditEvent endAfter(String shard, AuditEvent write) {
		AuditEvent end = null;
		for (ObjectRef lease : of(shard)) {
			boolean same = lease.equals(write.object());
			boolean later = false;
			Revision before = null;
			for (Revision revision : this.history.of(lease)) {
				AuditEvent cause = revision.cause();
				later |= !same && isLater(cause, write);
				if (later && ends(revision, before, shard, write.user())) {
					end = (end == null || isLater(end, cause)) ? cause : end;
					break;
				}
				later |= same && cause.equals(write);
				before = revision;
			}
		}
		return end;
	}

	/** Deletions have no version, and are as late as their answer. */
	private static boolean isLater(AuditEvent event, AuditEvent other) {
		return (event.version() != null) ? event.mayHaveTakenEffectAfter(other)
				: event.completed().isAfter(other.completed());
	}

	/**
	 * Whether that process gave the Lease back, another process of the shard wrote it, or
	 * the sharder took it. What others edit does not end a term: its process may not have
	 * noticed.
	 */
	private static boolean ends(Revision revision, @Nullable Revision before, String shard, String user) {
		AuditEvent cause = revision.cause();
		boolean goesOn = cause.user().equals(user) && revision.isHeldBy(shard);
		return !goesOn && (shard.equals(cause.shard()) || revision.isTakenFrom(shard, before));
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

		/*
		 * Also when it was late: nobody has had the Lease meanwhile, and whoever lets it
		 * lapse without a reason is to blame for what it leaves undone.
		 */
		private boolean goesOn(Revision renewal) {
			return renewal.cause().user().equals(this.user);
		}

	}

}
