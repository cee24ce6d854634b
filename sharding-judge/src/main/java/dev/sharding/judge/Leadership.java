package dev.sharding.judge;

import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * Which process of the sharder led when, by the Lease that they elect their leader with,
 * and judges those that acted although another led: {@code actedWithoutLead}. A run whose
 * sharder elects no leader has none to judge.
 */
final class Leadership {

	static final ObjectRef LEASE = new ObjectRef("coordination.k8s.io", "leases", "sharding-system", "sharder");

	private final List<Revision> record;

	private final List<Absence> absences = new ArrayList<>();

	Leadership(History history) {
		this.record = history.of(LEASE);
		Revision before = null;
		Duration duration = Duration.ZERO;
		for (Revision revision : this.record) {
			if (before == null) {
				this.absences.add(new Absence(Instant.MIN, revision.completed(), revision.completed()));
			}
			else if (!isGivenUp(before, revision) && begins(before, revision)) {
				this.absences.add(new Absence(before.received(), allowed(before, duration), revision.completed()));
			}
			// A release says nothing of how long a term is.
			duration = revision.isHeldBy("") ? duration : Duration.ofSeconds(revision.lease().durationSeconds());
			before = revision;
		}
		if (before != null && before.isHeldBy("")) {
			this.absences.add(new Absence(before.received(), allowed(before, duration), before.completed()));
		}
	}

	private static boolean begins(Revision before, Revision revision) {
		return before.isHeldBy("") || !before.cause().user().equals(revision.cause().user())
				|| !Objects.equals(before.lease().acquired(), revision.lease().acquired());
	}

	/** From when on nobody leads, until the next one does. */
	private static boolean isGivenUp(Revision before, Revision revision) {
		return revision.isHeldBy("") && before.cause().user().equals(revision.cause().user());
	}

	/** Another, or the same anew, has to lead, and to act, after two durations. */
	private static Instant allowed(Revision before, Duration duration) {
		return before.completed().plus(duration.multipliedBy(2));
	}

	/** For how long of that time nobody had to lead, each moment once. */
	Duration absent(Instant from, Instant to) {
		Duration sum = Duration.ZERO;
		Instant counted = from;
		for (Absence absence : this.absences) {
			Instant begin = absence.from().isAfter(counted) ? absence.from() : counted;
			Instant end = absence.to().isBefore(to) ? absence.to() : to;
			if (begin.isBefore(end)) {
				sum = sum.plus(Duration.between(begin, end));
				counted = end;
			}
		}
		return sum;
	}

	/**
	 * When the term of that time began, or the next one will if nobody leads.
	 */
	Instant beganAt(Instant time) {
		Instant began = Instant.EPOCH;
		for (Absence absence : this.absences) {
			if (!absence.from().isAfter(time)) {
				began = absence.began();
			}
		}
		return began;
	}

	/** When terms began after one moment and before another, in order. */
	List<Instant> begunBetween(Instant from, Instant to) {
		return this.absences.stream()
			.map(Absence::began)
			.filter((began) -> began.isAfter(from) && began.isBefore(to))
			.toList();
	}

	/** How many terms began after that moment. */
	int begunAfter(Instant time) {
		return (int) this.absences.stream().filter((absence) -> absence.began().isAfter(time)).count();
	}

	void judge(List<AuditEvent> events, RingUnderTest ring, ShardLeases leases, LateWrites late, Findings findings) {
		if (this.record.isEmpty()) {
			return;
		}
		for (AuditEvent event : events) {
			ObjectRef object = event.object();
			boolean ofRing = ring.isMain(object) || ring.isControlled(object) || leases.contains(object);
			if (event.bySharder() && event.mutating() && ofRing) {
				judge(event, late, findings);
			}
		}
	}

	private void judge(AuditEvent event, LateWrites late, Findings findings) {
		Revision leader = leaderFor(event);
		boolean own = leader != null && leader.cause().user().equals(event.user()) && !leader.isHeldBy("");
		Instant due = (leader == null) ? event.received()
				: own ? leader.received().plusSeconds(leader.lease().durationSeconds()) : leader.completed();
		if (own && !event.received().isAfter(due)) {
			return;
		}
		if (!own && event.mayHaveTakenEffect()) {
			findings.add(Counter.ACTED_WITHOUT_LEAD, event.received(), "%s: the leader was %s".formatted(event,
					(leader != null) ? leader.cause().user() + " by a request completed at " + due : "nobody yet"));
		}
		else {
			late.add(event, due, "its time to lead had ended");
		}
	}

	/** Who led when the request took effect: by version, else by time. */
	private @Nullable Revision leaderFor(AuditEvent event) {
		BigInteger version = event.version();
		Revision leader = null;
		for (Revision revision : this.record) {
			BigInteger other = revision.cause().version();
			boolean before = (version != null && other != null) ? other.compareTo(version) < 0
					: revision.completed().isBefore(event.received());
			if (before) {
				leader = revision;
			}
		}
		return leader;
	}

	/**
	 * @param to by when another has to lead
	 * @param began when the next term did
	 */
	private record Absence(Instant from, Instant to, Instant began) {
	}

}
