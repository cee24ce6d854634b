package dev.sharding.judge;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

/**
 * What became of requests whose sender was gone before the answer: the API server writes
 * down that it gave up on them (504), and may have stored what they wanted. Where the
 * next request for the object was decided on a version that no answer tells of, the one
 * before it has stored that version; of several that may have, the first.
 */
final class Outcomes {

	private final Map<ObjectRef, NavigableMap<BigInteger, AuditEvent>> stored = new HashMap<>();

	private final Set<AuditEvent> explained = new HashSet<>();

	private Outcomes(List<AuditEvent> events) {
		for (AuditEvent event : events) {
			BigInteger version = event.version();
			if (version != null) {
				this.stored.computeIfAbsent(event.object(), (object) -> new TreeMap<>()).put(version, event);
			}
		}
	}

	/** All requests; those of which a later one tells that they took effect, say so. */
	static List<AuditEvent> told(List<AuditEvent> events) {
		Outcomes outcomes = new Outcomes(events);
		List<AuditEvent> told = new ArrayList<>();
		events.forEach((event) -> told.add(outcomes.told(event)));
		return told;
	}

	private AuditEvent told(AuditEvent event) {
		Body wanted = event.request();
		if (!event.unanswered() || !event.mayHaveTakenEffect() || wanted == null) {
			return event;
		}
		NavigableMap<BigInteger, AuditEvent> versions = this.stored.getOrDefault(event.object(), new TreeMap<>());
		BigInteger decidedOn = version(wanted);
		AuditEvent before = (decidedOn != null) ? versions.get(decidedOn) : null;
		Map.Entry<BigInteger, AuditEvent> next = (decidedOn != null) ? versions.higherEntry(decidedOn) : null;
		if (before == null || before.response() == null || next == null || next.getValue().request() == null) {
			return event;
		}
		BigInteger seen = version(next.getValue().request());
		if (seen == null || seen.compareTo(decidedOn) <= 0 || versions.containsKey(seen)
				|| !this.explained.add(next.getValue())) {
			return event;
		}
		Body made = event.verb().equals("patch") ? before.response().patched(wanted) : wanted;
		return event.tookEffect(made.withVersion(seen.toString())).endedBy(next.getValue().received());
	}

	private static @Nullable BigInteger version(Body body) {
		return body.resourceVersion().isEmpty() ? null : new BigInteger(body.resourceVersion());
	}

}
