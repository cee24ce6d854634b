package dev.sharding.judge;

import java.math.BigInteger;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * Judges by what processes wrote what they had read: {@code ownWritesUnread} and
 * {@code wentBack}, which is also what an owner knows from before it got the object. One
 * process reconciles an object once at a time, so between an answered write and the next
 * one for the same object there is a read.
 */
final class ReadYourWrites {

	private final RingUnderTest ring;

	private final Derived derived;

	private final Claims claims;

	private final Injected injected;

	private final BareClient bareClient;

	private final Findings findings;

	ReadYourWrites(RingUnderTest ring, Derived derived, Claims claims, Injected injected, BareClient bareClient,
			Findings findings) {
		this.ring = ring;
		this.derived = derived;
		this.claims = claims;
		this.injected = injected;
		this.bareClient = bareClient;
		this.findings = findings;
	}

	void judge(List<AuditEvent> events) {
		Map<ObjectRef, List<AuditEvent>> writes = new HashMap<>();
		for (AuditEvent event : events) {
			if (event.mutating() && !event.dryRun() && this.ring.isControlled(event.object())) {
				writes.computeIfAbsent(event.object(), (object) -> new ArrayList<>()).add(event);
			}
		}
		writes.values().forEach((list) -> {
			list.sort(Comparator.comparing(AuditEvent::received));
			judgeObject(list);
		});
	}

	private void judgeObject(List<AuditEvent> writes) {
		Map<String, AuditEvent> own = new HashMap<>();
		Map<String, BigInteger> stamps = new HashMap<>();
		Instant deleted = Instant.MIN;
		for (AuditEvent write : writes) {
			if (write.verb().equals("delete") && write.mayHaveTakenEffect()) {
				deleted = write.completed().isAfter(deleted) ? write.completed() : deleted;
			}
			if (write.shard() == null) {
				continue;
			}
			AuditEvent last = own.get(write.user());
			if (last != null && last.completed().isBefore(write.received()) && isUnread(last, write, deleted)) {
				this.findings.add(Counter.OWN_WRITES_UNREAD, write.received(),
						"%s: it was decided on version %s, and its own %s had been answered with version %s"
							.formatted(write, read(write), last, last.version()));
			}
			judgeStamp(write, stamps);
			if (write.version() != null) {
				own.put(write.user(), write);
			}
		}
	}

	/**
	 * Whether the answer of the last one must have been known, and was not. A shard whose
	 * connections are disturbed while it is answered may never have had it; what disturbs
	 * it later takes no answer from it.
	 */
	private boolean isUnread(AuditEvent last, AuditEvent write, Instant deleted) {
		BigInteger version = last.version();
		BigInteger read = read(write);
		boolean created = write.verb().equals("create") && write.lostRace() && last.received().isAfter(deleted);
		boolean older = version != null && read != null && read.compareTo(version) < 0;
		Instant known = last.completed().plus(this.bareClient.worst(last.received(), last.completed()));
		return (created || older) && isCalm(write, last.received(), known)
				&& isCalm(write, write.received(), write.completed());
	}

	private boolean isCalm(AuditEvent write, Instant from, Instant to) {
		return this.injected.disturbed(Set.of(String.valueOf(write.shard()), Injected.subject(write.user())), from, to)
			.isZero();
	}

	/** Which version a write was decided on, null if it does not say. */
	private static @Nullable BigInteger read(AuditEvent write) {
		Body request = write.request();
		boolean replaces = write.verb().equals("update") || write.verb().equals("patch");
		return (replaces && request != null && !request.resourceVersion().isEmpty())
				? new BigInteger(request.resourceVersion()) : null;
	}

	private void judgeStamp(AuditEvent write, Map<String, BigInteger> stamps) {
		Body request = write.request();
		if (request == null || request.stamp().isEmpty()) {
			return;
		}
		BigInteger stamp = new BigInteger(request.stamp());
		BigInteger before = stamps.get(write.user());
		if (before != null && stamp.compareTo(before) < 0) {
			this.findings.add(Counter.WENT_BACK, write.received(),
					"%s: it was made from version %s, and its process had seen version %s".formatted(write, stamp,
							before));
		}
		else {
			stamps.put(write.user(), stamp);
			judgeOrigin(write, request, stamp);
		}
	}

	/**
	 * Whoever gets an object makes nothing of it from a version of before, which it may
	 * know from an earlier time as its owner.
	 */
	private void judgeOrigin(AuditEvent write, Body request, BigInteger stamp) {
		ObjectRef main = this.derived.mainOf(write);
		Claims.Claim claim = (main != null)
				? this.claims.lastBegun(main, String.valueOf(write.shard()), write.received()) : null;
		BigInteger given = (claim != null) ? claim.begin().version() : null;
		Body got = (claim != null) ? claim.begin().response() : null;
		ControllerReference controller = request.controller();
		if (claim == null || given == null || got == null || controller == null) {
			return;
		}
		boolean same = controller.uid().equals(got.uid());
		if (same && stamp.compareTo(given) < 0 && isCalm(write, claim.begin().received(), write.received())) {
			this.findings.add(Counter.WENT_BACK, write.received(),
					"%s: it was made from version %s, and its shard got the object as version %s".formatted(write,
							stamp, given));
		}
	}

}
