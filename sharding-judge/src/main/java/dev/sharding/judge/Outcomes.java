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
 * down that it gave up on them (504), and may have stored what they wanted. The next
 * answered request for the object tells: it was decided on a version that no answer tells
 * of, which the one before it has stored then, or its answer has the labels that the one
 * before it wanted, and that it did not set itself. Of several that may have, the first.
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
		if (decidedOn == null) {
			return event;
		}
		AuditEvent before = versions.get(decidedOn);
		Map.Entry<BigInteger, AuditEvent> next = versions.higherEntry(decidedOn);
		if (before == null || before.response() == null || next == null || next.getValue().request() == null) {
			return event;
		}
		BigInteger seen = version(next.getValue().request());
		Body made = event.verb().equals("patch") ? before.response().patched(wanted) : wanted;
		if (seen == null && isMetBy(next.getValue(), before.response(), made)) {
			// Which one exactly does not matter: there was no other between the two.
			seen = decidedOn.add(BigInteger.ONE);
		}
		if (seen == null || seen.compareTo(decidedOn) <= 0 || versions.containsKey(seen)
				|| !this.explained.add(next.getValue())) {
			return event;
		}
		return event.tookEffect(made.withVersion(seen.toString())).endedBy(next.getValue().received());
	}

	/** Whether that request found labels that only the unanswered one can have made. */
	private static boolean isMetBy(AuditEvent next, Body before, Body made) {
		Body request = next.request();
		Body response = next.response();
		return request != null && response != null && next.verb().equals("patch")
				&& !made.labels().equals(before.labels()) && made.labels().equals(response.labels())
				&& request.labels().isEmpty();
	}

	private static @Nullable BigInteger version(Body body) {
		return body.resourceVersion().isEmpty() ? null : new BigInteger(body.resourceVersion());
	}

}
