package dev.sharding.judge;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** The whole verdict on one run. */
final class Judgement {

	private Judgement() {
	}

	/** What the audit log alone tells: all counters but {@link Counter#LOST_UPDATES}. */
	static Findings of(RingUnderTest ring, List<AuditEvent> events) {
		return of(ring, events, Terms.STRICT);
	}

	static Findings of(RingUnderTest ring, List<AuditEvent> events, Terms terms) {
		Findings findings = new Findings(terms.since());
		History history = History.of(events);
		Instant end = events.stream().map(AuditEvent::completed).max(Comparator.naturalOrder()).orElse(Instant.EPOCH);
		new Placement(ring, history, new Membership(ring, history), marks(events), end, terms.grace(), findings)
			.judge();
		new HandOvers(ring, history, findings).judge();
		new Conduct(ring, history, findings).judge(events);
		return findings;
	}

	/** The marks in the log, in order. */
	static List<Mark> marks(List<AuditEvent> events) {
		List<Mark> marks = new ArrayList<>();
		for (AuditEvent event : events) {
			Body body = event.response();
			boolean isMark = event.object().namespace().equals(Mark.NAMESPACE)
					&& event.object().name().equals(Mark.NAME) && event.object().resource().equals("configmaps");
			if (isMark && event.changesState() && body != null) {
				Map<String, String> data = body.mark();
				marks.add(new Mark(event.received(), data.getOrDefault("step", ""),
						Mark.QUIESCENT.equals(data.get("phase"))));
			}
		}
		marks.sort(Comparator.comparing(Mark::at));
		return marks;
	}

}
