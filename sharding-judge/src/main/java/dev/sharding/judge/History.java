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
 * All states of all objects, in the order in which the API server stored them. The order
 * is that of the resource versions: two requests may complete in another order than they
 * were stored in.
 */
final class History {

	private final Map<ObjectRef, List<Revision>> revisions;

	private History(Map<ObjectRef, List<Revision>> revisions) {
		this.revisions = revisions;
	}

	static History of(List<AuditEvent> events) {
		Map<ObjectRef, List<Revision>> stored = new HashMap<>();
		Map<ObjectRef, List<Revision>> deleted = new HashMap<>();
		for (AuditEvent event : events) {
			Body body = event.response();
			if (!event.changesState()) {
				continue;
			}
			if (event.verb().equals("delete") && (body == null || body.gone())) {
				deleted.computeIfAbsent(event.object(), (ref) -> new ArrayList<>()).add(new Revision(event, null));
			}
			else if (body != null && !body.resourceVersion().isEmpty()) {
				stored.computeIfAbsent(event.object(), (ref) -> new ArrayList<>())
					.add(new Revision(event, body.gone() ? null : body));
			}
		}
		// A second deletion of what waits for its finalizers stores nothing: its answer
		// may come after the end of the object, and has the version of another's write.
		stored.values()
			.forEach((list) -> list.sort(Comparator.comparing(History::version)
				.thenComparing((revision) -> revision.body() == null)
				.thenComparing((revision) -> revision.cause().verb().equals("delete"))));
		stored.values().forEach(History::endLast);
		deleted.forEach((ref, list) -> list
			.forEach((deletion) -> insert(stored.computeIfAbsent(ref, (key) -> new ArrayList<>()), deletion)));
		return new History(stored);
	}

	/*
	 * Whoever takes the last finalizer off ends the object in whichever version it is in
	 * by then, as the API server deletes it without a look at that, and answers with the
	 * version that was asked for.
	 */
	private static void endLast(List<Revision> list) {
		for (Revision end : list.stream().filter((revision) -> revision.body() == null).toList()) {
			Body left = end.cause().response();
			if (left == null || left.uid().isEmpty()) {
				continue;
			}
			List<Revision> later = list.stream()
				.filter((revision) -> revision.body() != null && revision.body().uid().equals(left.uid()))
				.toList();
			if (!later.isEmpty()) {
				list.remove(end);
				list.add(list.lastIndexOf(later.get(later.size() - 1)) + 1, end);
			}
		}
	}

	private static BigInteger version(Revision revision) {
		Body body = revision.cause().response();
		return (body != null) ? new BigInteger(body.resourceVersion()) : BigInteger.ZERO;
	}

	/** The response of a deletion has no version: it goes before the next creation. */
	private static void insert(List<Revision> list, Revision deletion) {
		int at = 0;
		while (at < list.size() && !(list.get(at).cause().verb().equals("create")
				&& list.get(at).completed().isAfter(deletion.received()))) {
			at++;
		}
		list.add(at, deletion);
	}

	Set<ObjectRef> objects() {
		return this.revisions.keySet();
	}

	List<Revision> of(ObjectRef object) {
		return this.revisions.getOrDefault(object, List.of());
	}

	/** The last state whose request was complete at that time, null if there is none. */
	@Nullable Revision at(ObjectRef object, Instant time) {
		Revision last = null;
		for (Revision revision : of(object)) {
			if (!revision.completed().isAfter(time)) {
				last = revision;
			}
		}
		return (last != null && last.body() != null) ? last : null;
	}

	/**
	 * The last state that was stored before another one, null if there is none. Of a
	 * deletion, whose answer has no version, that is sure if it was answered before.
	 */
	@Nullable Revision storedBefore(ObjectRef object, Revision later) {
		Revision last = null;
		for (Revision revision : of(object)) {
			BigInteger version = version(revision);
			if (version.signum() == 0 ? !revision.completed().isAfter(later.received())
					: version.compareTo(version(later)) < 0) {
				last = revision;
			}
		}
		return (last != null && last.body() != null) ? last : null;
	}

	/**
	 * The last state whose request was received by that time, null if there is none: what
	 * whoever had the answer at that time could have seen.
	 */
	@Nullable Revision begunAt(ObjectRef object, Instant time) {
		Revision last = null;
		for (Revision revision : of(object)) {
			if (!revision.received().isAfter(time)) {
				last = revision;
			}
		}
		return last;
	}

	/**
	 * The states of an object with the time from which each was to be seen by all. A
	 * state that a later one overtook was never to be seen and is left out.
	 */
	List<Revision> visible(ObjectRef object) {
		List<Revision> all = of(object);
		List<Revision> visible = new ArrayList<>();
		Instant next = Instant.MAX;
		for (int i = all.size() - 1; i >= 0; i--) {
			Revision revision = all.get(i);
			if (revision.completed().isBefore(next)) {
				visible.add(0, revision);
				next = revision.completed();
			}
		}
		return visible;
	}

}
