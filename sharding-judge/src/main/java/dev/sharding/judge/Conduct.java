package dev.sharding.judge;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Judges what the shards did: {@code doubleReconciled} and {@code writesAfterLeaseEnd}.
 */
final class Conduct {

	private final RingUnderTest ring;

	private final History history;

	private final Claims claims;

	private final Findings findings;

	private final Map<String, List<AuditEvent>> leaseWrites = new HashMap<>();

	Conduct(RingUnderTest ring, History history, Findings findings) {
		this.ring = ring;
		this.history = history;
		this.claims = new Claims(ring, history);
		this.findings = findings;
	}

	void judge(List<AuditEvent> events) {
		for (AuditEvent event : events) {
			String shard = event.shard();
			if (shard != null && event.onLease() && event.object().name().equals(shard) && event.changesState()) {
				this.leaseWrites.computeIfAbsent(shard, (key) -> new ArrayList<>()).add(event);
			}
		}
		for (AuditEvent event : events) {
			String shard = event.shard();
			if (shard != null && !event.onLease() && !event.withoutBody()) {
				judgeOwnership(event, shard);
				judgeLease(event, shard);
			}
		}
	}

	private void judgeOwnership(AuditEvent event, String shard) {
		boolean derived = this.ring.isControlled(event.object());
		if (!derived && !this.ring.isMain(event.object()) || !event.mutating() && event.object().name().isEmpty()) {
			return;
		}
		ObjectRef main = derived ? mainOf(event) : event.object();
		if (main != null && this.claims.owned(main, shard, event.received())) {
			return;
		}
		Claims.Claim last = (main != null) ? this.claims.lastBefore(main, shard, event.received()) : null;
		if (last == null) {
			this.findings.add(Counter.DOUBLE_RECONCILED, event.received(),
					"%s: %s had not owned %s".formatted(event, shard, (main != null) ? main : "its main object"));
		}
		else if (event.mutating() && (derived || !event.lostRace())) {
			this.findings.add(Counter.DOUBLE_RECONCILED, event.received(),
					"%s: ownership of %s by %s had ended at %s, %d ms before".formatted(event, main, shard, last.to(),
							Duration.between(last.to(), event.received()).toMillis()));
		}
	}

	/** The main object of a derived one: as sent, as answered, or as it was stored. */
	private @Nullable ObjectRef mainOf(AuditEvent event) {
		Body request = event.request();
		Body response = event.response();
		Revision stored = this.history.at(event.object(), event.received());
		for (Body body : new @Nullable Body[] { request, response, (stored != null) ? stored.body() : null }) {
			ObjectRef main = (body != null) ? this.ring.mainOf(event.object(), body.controller()) : null;
			if (main != null) {
				return main;
			}
		}
		return null;
	}

	private void judgeLease(AuditEvent event, String shard) {
		if (!event.mutating()) {
			return;
		}
		AuditEvent last = null;
		for (AuditEvent write : this.leaseWrites.getOrDefault(shard, List.of())) {
			boolean before = !write.received().isAfter(event.received());
			if (before && (last == null || write.received().isAfter(last.received()))) {
				last = write;
			}
		}
		if (last == null) {
			this.findings.add(Counter.WRITES_AFTER_LEASE_END, event.received(),
					event + ": " + shard + " had no Lease yet");
			return;
		}
		if (!last.user().equals(event.user())) {
			// What it says of itself, such as that its name is taken, hurts nobody.
			boolean ofRing = this.ring.isMain(event.object()) || this.ring.isControlled(event.object());
			if (ofRing && last.completed().isBefore(event.received())) {
				this.findings.add(Counter.WRITES_AFTER_LEASE_END, event.received(),
						"%s: the Lease was last written by %s at %s".formatted(event, last.user(), last.received()));
			}
			return;
		}
		Instant leaseEnd = end(last, shard);
		if (event.received().isAfter(leaseEnd)) {
			this.findings.add(Counter.WRITES_AFTER_LEASE_END, event.received(),
					"%s: the Lease of %s, last written at %s, ended at %s, %d ms before".formatted(event, shard,
							last.received(), leaseEnd, Duration.between(leaseEnd, event.received()).toMillis()));
		}
	}

	/**
	 * A Lease ends with its duration; one that its shard releases ends there and then.
	 */
	private static Instant end(AuditEvent write, String shard) {
		Body lease = write.response();
		boolean held = lease != null && lease.holder().equals(shard);
		return (lease != null && held) ? write.received().plusSeconds(lease.durationSeconds()) : write.completed();
	}

}
