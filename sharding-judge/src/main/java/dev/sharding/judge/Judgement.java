package dev.sharding.judge;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;

/** The whole verdict on one run. */
final class Judgement {

	private Judgement() {
	}

	/** What the audit log alone tells: nothing of what is there at the end. */
	static Findings of(RingUnderTest ring, List<AuditEvent> events) {
		return of(ring, events, Instant.MIN);
	}

	/**
	 * @param since what happened before is not judged; it still counts as the past of
	 * what came after
	 */
	static Findings of(RingUnderTest ring, List<AuditEvent> log, Instant since) {
		return of(ring, log, List.of(), since, List.of(), true);
	}

	/**
	 * @param last objects as the API answered them when all was over
	 * @param since what happened before is not judged
	 * @param reads what consistent reads of the shards showed
	 * @param full whether what it cost, and what processes have read, is judged as well
	 */
	static Findings of(RingUnderTest ring, List<AuditEvent> log, List<LiveObject> last, Instant since,
			List<ReadRecord> reads, boolean full) {
		List<Mark> marks = Mark.of(log);
		Findings findings = new Findings(since, Restores.of(marks));
		List<AuditEvent> cut = cut(log, marks);
		List<AuditEvent> events = Outcomes.told(cut, last);
		BareClient bareClient = BareClient.of(events);
		Instant end = events.stream()
			.filter((event) -> !event.unanswered())
			.map(AuditEvent::completed)
			.max(Comparator.naturalOrder())
			.orElse(Instant.EPOCH);
		History history = History.of(events);
		ShardLeases leases = new ShardLeases(ring, history);
		Derived derived = new Derived(ring, history);
		Claims claims = new Claims(ring, history);
		Leadership leadership = new Leadership(history);
		Injected injected = new Injected(marks);
		injected.judge(findings);
		LateWrites late = new LateWrites(injected, bareClient, findings);
		new Placement(ring, history, new Membership(leases, history, leadership), leadership, injected, marks, end,
				bareClient, findings)
			.judge();
		new HandOvers(ring, history, leases, derived, findings).judge();
		new Takes(leases, history, findings).judge();
		new Overwrites(ring, history, findings).judge(events);
		new Conduct(ring, derived, leases, claims, late, bareClient, findings).judge(events);
		leadership.judge(events, ring, leases, late, findings);
		late.judge();
		new Refusals(leases, injected, findings).judge(events);
		Service service = new Service(ring, history, derived, leases, claims, injected, bareClient, findings);
		service.judge(events);
		LeftOvers.judge(ring, history, claims, service, findings);
		new ConsistentReads(ring, history, cut, findings).judge(reads);
		new FailedReads(ring, leases, injected, bareClient, findings).judge(reads);
		if (full) {
			LeftOvers.judgeEnds(ring, history, derived, events, findings);
			new ReadYourWrites(ring, derived, claims, injected, bareClient, findings).judge(events);
			new Cost(ring, leases, history, findings).judge(events, marks);
		}
		return findings;
	}

	/** What was never answered had its effect before the API server began anew. */
	private static List<AuditEvent> cut(List<AuditEvent> events, List<Mark> marks) {
		List<AuditEvent> cut = events;
		for (Mark mark : marks) {
			if (mark.phase() == Mark.Phase.CUT) {
				cut = cut.stream().map((event) -> event.unansweredBy(mark.at())).toList();
			}
		}
		return cut;
	}

}
