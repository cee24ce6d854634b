package dev.sharding.judge;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * Judges what the shards did: {@code doubleReconciled}, {@code writesAfterLeaseEnd} and
 * {@code readsOfOthers}; what came too late without harm goes to the {@link LateWrites}.
 */
final class Conduct {

	/** How long a shard may take to see that an object was deleted. */
	private static final Duration SEES_DELETION_WITHIN = Duration.ofSeconds(1);

	private final RingUnderTest ring;

	private final Derived derived;

	private final ShardLeases leases;

	private final Claims claims;

	private final LateWrites late;

	private final BareClient bareClient;

	private final Findings findings;

	private final Map<String, List<AuditEvent>> leaseWrites = new HashMap<>();

	/**
	 * Writes to Leases that met another state: by them a process knows that it holds
	 * none.
	 */
	private final Map<String, List<AuditEvent>> refusals = new HashMap<>();

	/** By a write of a Lease, what ended the term after it: to look is slow. */
	private final Map<AuditEvent, Optional<AuditEvent>> ends = new IdentityHashMap<>();

	/** The users of processes that were shards by other names than their own. */
	private final Set<String> ofSlots = new HashSet<>();

	Conduct(RingUnderTest ring, Derived derived, ShardLeases leases, Claims claims, LateWrites late,
			BareClient bareClient, Findings findings) {
		this.ring = ring;
		this.derived = derived;
		this.leases = leases;
		this.claims = claims;
		this.late = late;
		this.bareClient = bareClient;
		this.findings = findings;
	}

	void judge(List<AuditEvent> events) {
		Set<String> here = new HashSet<>();
		Set<String> elsewhere = new HashSet<>();
		for (AuditEvent event : events) {
			String shard = event.shard();
			if (event.slot() != null) {
				this.ofSlots.add(event.user());
			}
			boolean ownLease = shard != null && event.onLease() && event.object().name().equals(shard);
			if (ownLease && event.mutating() && event.lostRace()) {
				this.refusals.computeIfAbsent(event.user(), (key) -> new ArrayList<>()).add(event);
			}
			if (ownLease && event.changesState()) {
				if (this.leases.contains(event.object())) {
					this.leaseWrites.computeIfAbsent(shard, (key) -> new ArrayList<>()).add(event);
					here.add(event.user());
				}
				else {
					elsewhere.add(event.user());
				}
			}
		}
		elsewhere.removeAll(here);
		for (AuditEvent event : events) {
			String shard = event.shard();
			if (shard == null || event.onLease() || event.withoutBody()) {
				continue;
			}
			if (elsewhere.contains(event.user())) {
				judgeStranger(event, shard);
			}
			else {
				judgeRead(event, shard);
				judgeOwnership(event, shard);
				judgeLease(event, shard);
			}
		}
	}

	/**
	 * A shard of another ring has no business with what is in the namespaces of this one.
	 * Rings that have all namespaces may have objects in common.
	 */
	private void judgeStranger(AuditEvent event, String shard) {
		boolean ofRing = this.ring.isMain(event.object()) || this.ring.isControlled(event.object());
		if (ofRing && this.ring.namespaces().contains(event.object().namespace())
				&& (event.mutating() || event.reads())) {
			this.findings.add(Counter.DOUBLE_RECONCILED, event.received(),
					"%s: %s is a shard of another ring".formatted(event, shard));
		}
	}

	/**
	 * A shard reads what is its own and nothing else: the memory of one is its share. Who
	 * stands by has none, and may read what one other has.
	 */
	private void judgeRead(AuditEvent event, String shard) {
		boolean ofRing = this.ring.isMain(event.object()) || this.ring.isControlled(event.object());
		if (ofRing && event.listsOrWatches() && !event.reads() && !event.asksForVersion()
				&& !event.selects(this.ring.shardLabel(), shard) && !(standsBy(event, shard) && selectsOne(event))) {
			this.findings.add(Counter.READS_OF_OTHERS, event.received(),
					event + ": does not ask for what is " + shard + "'s alone");
		}
	}

	private boolean selectsOne(AuditEvent event) {
		return this.leases.shards().stream().anyMatch((shard) -> event.selects(this.ring.shardLabel(), shard));
	}

	/** Whether it was sent by a process that may take a slot and has none then. */
	private boolean standsBy(AuditEvent event, String shard) {
		// By what its process knew when it was sent.
		Instant sent = event.received().minus(this.bareClient.worst(event.received(), event.received()));
		AuditEvent last = lastLeaseWrite(shard, sent);
		Body lease = (last != null) ? last.response() : null;
		boolean holds = last != null && lease != null && last.user().equals(event.user())
				&& lease.holder().equals(shard)
				&& !event.received().isAfter(last.received().plusSeconds(lease.durationSeconds()))
				&& !wasRefused(event, last);
		return !holds && (this.ofSlots.contains(event.user()) || !this.leases.shards().contains(shard));
	}

	private boolean wasRefused(AuditEvent event, AuditEvent lastLeaseWrite) {
		return this.refusals.getOrDefault(event.user(), List.of())
			.stream()
			.anyMatch((refusal) -> refusal.received().isAfter(lastLeaseWrite.received())
					&& !refusal.received().isAfter(event.received())
					&& refusal.object().equals(lastLeaseWrite.object()));
	}

	private void judgeOwnership(AuditEvent event, String shard) {
		boolean controlled = this.ring.isControlled(event.object());
		if (!controlled && !this.ring.isMain(event.object()) || !event.mutating() && !event.reads()) {
			return;
		}
		// What is made of an object comes before it, and may be touched before it is
		// here.
		if (controlled && event.touches(this.ring.shardLabel(), shard)) {
			return;
		}
		// All that is known of it is that it came.
		if (event.verb().equals("create") && event.unanswered() && event.object().name().isEmpty()) {
			return;
		}
		ObjectRef main = this.derived.mainOf(event);
		Claims.Claim claim = (main != null) ? this.claims.lastBegun(main, shard, event.received()) : null;
		if (main == null || claim == null) {
			this.findings.add(Counter.DOUBLE_RECONCILED, event.received(),
					"%s: %s had not owned %s".formatted(event, shard, (main != null) ? main : "its main object"));
			return;
		}
		Claims.Claim next = this.claims.nextOfAnother(main, claim);
		if (event.mutating() && next != null && event.mayHaveTakenEffectAfter(next.begin())) {
			this.findings.add(Counter.DOUBLE_RECONCILED, event.received(),
					"%s: %s had got %s from %s by a request received at %s".formatted(event, next.shard(), main, shard,
							next.from()));
		}
		else if (event.mutating() && event.received().isAfter(claim.to()) && (controlled || !event.lostRace())) {
			boolean unseen = claim.endedByDeletion() && !event.received()
				.isAfter(claim.to()
					.plus(SEES_DELETION_WITHIN)
					.plus(this.bareClient.allowance(claim.to(), event.received(), 0)));
			if (!unseen) {
				this.late.add(event, claim.to(), "ownership of %s by %s had ended".formatted(main, shard));
			}
		}
	}

	private void judgeLease(AuditEvent event, String shard) {
		if (!event.mutating()) {
			return;
		}
		AuditEvent last = lastLeaseWrite(shard, event.received());
		boolean another = last != null && !last.user().equals(event.user());
		boolean ofRing = this.ring.isMain(event.object()) || this.ring.isControlled(event.object());
		// What it says of itself, such as that its name is taken, hurts nobody.
		if (!ofRing && (another || last == null && this.ofSlots.contains(event.user()))) {
			return;
		}
		if (last == null) {
			this.findings.add(Counter.WRITES_AFTER_LEASE_END, event.received(),
					event + ": " + shard + " had no Lease yet");
			return;
		}
		AuditEvent own = another ? lastLeaseWrite(shard, event.user(), event.received()) : last;
		if (own == null) {
			AuditEvent first = this.leaseWrites.getOrDefault(shard, List.of()).get(0);
			judgeEnd(event, first.completed(), first, "%s had written the Lease".formatted(first.user()));
			return;
		}
		Body lease = own.response();
		boolean held = lease != null && lease.holder().equals(shard);
		AuditEvent end = held ? endAfter(shard, own) : own;
		Instant due = (lease != null && held) ? own.received().plusSeconds(lease.durationSeconds()) : own.completed();
		if (event.received().isAfter(due) || end != null && event.mayHaveTakenEffectAfter(end)) {
			judgeEnd(event, due, ofRing ? end : null,
					"the Lease of %s, last written at %s, ended".formatted(shard, own.received()));
		}
	}

	private @Nullable AuditEvent endAfter(String shard, AuditEvent own) {
		return this.ends.computeIfAbsent(own, (key) -> Optional.ofNullable(this.leases.endAfter(shard, own)))
			.orElse(null);
	}

	/**
	 * @param other from when on another shard could have what was this one's, null if
	 * that was never so
	 */
	private void judgeEnd(AuditEvent event, Instant due, @Nullable AuditEvent other, String why) {
		if (other != null && event.mayHaveTakenEffectAfter(other)) {
			this.findings.add(Counter.WRITES_AFTER_LEASE_END, event.received(),
					"%s: %s at %s, and %s came at %s".formatted(event, why, due, other.user(), other.received()));
		}
		else {
			this.late.add(event, due, why);
		}
	}

	private @Nullable AuditEvent lastLeaseWrite(String shard, Instant time) {
		return lastLeaseWrite(shard, null, time);
	}

	/**
	 * @param user whose, null for that of any process
	 */
	private @Nullable AuditEvent lastLeaseWrite(String shard, @Nullable String user, Instant time) {
		AuditEvent last = null;
		for (AuditEvent write : this.leaseWrites.getOrDefault(shard, List.of())) {
			boolean before = !write.received().isAfter(time) && (user == null || write.user().equals(user));
			if (before && (last == null || write.received().isAfter(last.received()))) {
				last = write;
			}
		}
		return last;
	}

}
