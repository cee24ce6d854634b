package dev.sharding.judge;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * Judges what becomes of objects that are deleted: {@code leftBehind}. The owner of one
 * lets it go in time, not before what it has made of it is gone, and nothing of it is
 * left at the end.
 */
final class LeftOvers {

	private static final int NOT_FOUND = 404;

	private LeftOvers() {
	}

	/** What waits for finalizers although its owner is alive. */
	static void judge(RingUnderTest ring, History history, Claims claims, Service service, Findings findings) {
		for (ObjectRef object : history.objects()) {
			if (ring.isMain(object)) {
				judge(object, history.of(object), claims, service, findings);
			}
		}
	}

	private static void judge(ObjectRef object, List<Revision> revisions, Claims claims, Service service,
			Findings findings) {
		@Nullable Revision deleted = null;
		for (Revision revision : revisions) {
			Body body = revision.body();
			if (body != null && body.deleting() && deleted == null) {
				deleted = revision;
			}
			else if (body == null && deleted != null) {
				judge(object, deleted, revision, claims, service, findings);
				deleted = null;
			}
		}
		if (deleted != null) {
			judge(object, deleted, null, claims, service, findings);
		}
	}

	private static void judge(ObjectRef object, Revision deleted, @Nullable Revision gone, Claims claims,
			Service service, Findings findings) {
		for (Claims.Claim claim : claims.of(object)) {
			boolean concerned = claim.to().isAfter(deleted.completed())
					&& (gone == null || claim.from().isBefore(gone.completed()));
			Duration waited = concerned
					? service.waited(object, claim, deleted.completed(), (gone != null) ? gone.received() : null)
					: Duration.ofMillis(-1);
			if (!waited.isNegative()) {
				findings.add(Counter.LEFT_BEHIND, deleted.completed(),
						"%s: %s, which was alive, let %s wait for its finalizers %d ms longer than it may (%s)"
							.formatted(deleted.cause(), claim.shard(), object, waited.toMillis(),
									(gone != null) ? "gone at " + gone.completed() : "it still waits"));
			}
		}
	}

	/** What a shard let go although something that it controls was there. */
	static void judgeEnds(RingUnderTest ring, History history, Derived derived, List<AuditEvent> events,
			Findings findings) {
		Map<ObjectRef, List<AuditEvent>> deletions = new HashMap<>();
		for (AuditEvent event : events) {
			boolean gone = event.mayHaveTakenEffect() || event.code() == NOT_FOUND;
			if (event.verb().equals("delete") && gone && ring.isControlled(event.object())) {
				deletions.computeIfAbsent(event.object(), (child) -> new ArrayList<>()).add(event);
			}
		}
		for (ObjectRef object : history.objects()) {
			if (ring.isMain(object)) {
				for (Revision revision : history.of(object)) {
					Body end = revision.cause().response();
					if (revision.body() == null && revision.cause().shard() != null && end != null) {
						judgeEnd(revision.cause(), end, history, derived.of(object), deletions, findings);
					}
				}
			}
		}
	}

	private static void judgeEnd(AuditEvent end, Body object, History history, List<ObjectRef> children,
			Map<ObjectRef, List<AuditEvent>> deletions, Findings findings) {
		for (ObjectRef child : children) {
			Revision state = history.at(child, end.received());
			Body body = (state != null) ? state.body() : null;
			if (state != null && body != null && body.controller() != null
					&& body.controller().uid().equals(object.uid())
					&& deletions.getOrDefault(child, List.of())
						.stream()
						.noneMatch((deletion) -> !deletion.received().isAfter(end.completed())
								&& !deletion.completed().isBefore(state.received()))) {
				findings.add(Counter.LEFT_BEHIND, end.received(),
						"%s: nobody had deleted %s, which it controlled (%s)".formatted(end, child, state.cause()));
			}
		}
	}

	/** What is left at the end, in words. */
	static List<String> of(List<LiveObject> main, List<LiveObject> controlled) {
		List<String> left = new ArrayList<>();
		Set<String> uids = new HashSet<>();
		for (LiveObject object : main) {
			uids.add(object.uid());
			if (object.deleting()) {
				left.add(object.ref() + " is deleted and waits for its finalizers");
			}
		}
		for (LiveObject object : controlled) {
			if (object.controllerUid() != null && !uids.contains(object.controllerUid())) {
				left.add(object.ref() + " is there, and what controlled it is gone");
			}
		}
		return left;
	}

}
