package dev.sharding.judge;

import java.math.BigInteger;
import java.time.Instant;
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
 * of, which the one before it has stored then, or its answer has labels that it would not
 * have without the one before it. Of several that may have, the first.
 */
final class Outcomes {

	private final Map<ObjectRef, NavigableMap<BigInteger, AuditEvent>> stored = new HashMap<>();

	/** By when a version was answered, the highest until then. */
	private final NavigableMap<Instant, BigInteger> answered = new TreeMap<>();

	private final Set<AuditEvent> explained = new HashSet<>();

	private final Map<ObjectRef, LiveObject> last = new HashMap<>();

	private Outcomes(List<AuditEvent> events, List<LiveObject> last) {
		last.forEach((object) -> this.last.put(object.ref(), object));
		for (AuditEvent event : events) {
			BigInteger version = storedAs(event);
			if (version != null) {
				this.stored.computeIfAbsent(event.object(), (object) -> new TreeMap<>())
					// What stores nothing new is answered with the version before, and so
					// is what takes the last finalizer off.
					.merge(version, event, (first, second) -> (first.lastState() != null) ? second : first);
				this.answered.merge(event.completed(), version, BigInteger::max);
			}
		}
		BigInteger highest = BigInteger.ZERO;
		for (Map.Entry<Instant, BigInteger> one : this.answered.entrySet()) {
			highest = highest.max(one.getValue());
			one.setValue(highest);
		}
	}

	/** A deletion that waits for finalizers stores a version as well. */
	private static @Nullable BigInteger storedAs(AuditEvent event) {
		Body body = event.response();
		if (isDeletion(event) && event.changesState() && body != null && !body.gone()) {
			return version(body);
		}
		return event.version();
	}

	private static boolean isDeletion(AuditEvent event) {
		return event.verb().equals("delete");
	}

	/**
	 * All requests; those of which a later one tells that they took effect, or the state
	 * at the end, say so.
	 * @param last objects as the API answered them when all was over
	 */
	static List<AuditEvent> told(List<AuditEvent> events, List<LiveObject> last) {
		Outcomes outcomes = new Outcomes(events, last);
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
		if (before == null || before.response() == null) {
			return event;
		}
		Body made = event.verb().equals("patch") ? before.response().patched(wanted) : wanted;
		if (next == null) {
			LiveObject end = this.last.get(event.object());
			return (end != null && isLeftBy(end, decidedOn, before.response(), made)
					&& this.last.remove(end.ref(), end)) ? event.tookEffect(made.withVersion(end.resourceVersion()))
							: event;
		}
		Body request = next.getValue().request();
		BigInteger seen = (request != null) ? version(request) : null;
		boolean named = seen != null;
		if (!named && isMetBy(next.getValue(), before.response(), made)) {
			seen = lowestOf(event, decidedOn);
			if (seen.compareTo(next.getKey()) >= 0) {
				return event;
			}
		}
		if (seen == null || seen.compareTo(decidedOn) <= 0 || versions.containsKey(seen)
				|| !this.explained.add(next.getValue())) {
			return event;
		}
		return event.tookEffect(made.withVersion(seen.toString()))
			.endedBy(named ? next.getValue().received() : next.getValue().completed());
	}

	/**
	 * The lowest version that a request can have stored: above the one it was decided on,
	 * and above all that had been answered when it came. Which of those that are left
	 * does not matter for its object, which had no other in between. What others stored
	 * while it was under way counts as later.
	 */
	private BigInteger lowestOf(AuditEvent event, BigInteger decidedOn) {
		Map.Entry<Instant, BigInteger> known = this.answered.lowerEntry(event.received());
		return ((known == null) ? decidedOn : decidedOn.max(known.getValue())).add(BigInteger.ONE);
	}

	/** Whether that request found labels that only the unanswered one can have made. */
	private static boolean isMetBy(AuditEvent next, Body before, Body made) {
		Body request = next.request();
		Body response = next.response();
		if (response != null && isDeletion(next)) {
			return made.labels().equals(response.labels()) && !before.labels().equals(response.labels());
		}
		return request != null && response != null && next.verb().equals("patch")
				&& made.patched(request).labels().equals(response.labels())
				&& !before.patched(request).labels().equals(response.labels());
	}

	/**
	 * Whether the object has labels at the end that only the unanswered one can have
	 * made.
	 */
	private static boolean isLeftBy(LiveObject end, BigInteger decidedOn, Body before, Body made) {
		return new BigInteger(end.resourceVersion()).compareTo(decidedOn) > 0 && end.uid().equals(before.uid())
				&& made.labels().equals(end.labels()) && !before.labels().equals(end.labels());
	}

	private static @Nullable BigInteger version(Body body) {
		return body.resourceVersion().isEmpty() ? null : new BigInteger(body.resourceVersion());
	}

}
