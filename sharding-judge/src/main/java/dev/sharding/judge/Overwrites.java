package dev.sharding.judge;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Judges whether shards and sharders leave main objects as their users wrote them, and
 * sharders what is made of them: {@code lostUpdates}. A shard writes nothing but who owns
 * an object, and its finalizers; a sharder not even these. Data, labels and annotations
 * of users are after their writes what they were before.
 */
final class Overwrites {

	private final RingUnderTest ring;

	private final History history;

	private final Findings findings;

	/** Writes of which nobody knows what became of them: any may be what a user wrote. */
	private final Map<ObjectRef, List<AuditEvent>> unknown = new HashMap<>();

	Overwrites(RingUnderTest ring, History history, Findings findings) {
		this.ring = ring;
		this.history = history;
		this.findings = findings;
	}

	void judge(List<AuditEvent> events) {
		events.stream()
			.filter((event) -> event.unanswered() && event.mayHaveTakenEffect())
			.forEach((event) -> this.unknown.computeIfAbsent(event.object(), (key) -> new ArrayList<>()).add(event));
		for (ObjectRef object : this.history.objects()) {
			if (this.ring.isMain(object) || this.ring.isControlled(object)) {
				judgeObject(this.history.of(object), this.ring.isMain(object));
			}
		}
	}

	private void judgeObject(List<Revision> revisions, boolean main) {
		Revision last = null;
		Revision whole = null;
		for (Revision revision : revisions) {
			AuditEvent cause = revision.cause();
			boolean ours = cause.bySharder() || (main && cause.shard() != null);
			String lost = ours ? lost(last, whole, revision) : "";
			if (!lost.isEmpty()) {
				this.findings.add(Counter.LOST_UPDATES, revision.received(),
						"%s: it took %s from what was there".formatted(cause, lost));
			}
			last = revision;
			whole = whole(whole, revision, ours);
		}
	}

	/** The last state whose data is known, as far as it still is. */
	private static @Nullable Revision whole(@Nullable Revision before, Revision revision, boolean ours) {
		Body body = revision.body();
		if (body == null || !body.metadataOnly()) {
			return revision;
		}
		return ours ? before : null;
	}

	/**
	 * What a write has changed that is not its own.
	 * @param last the state before
	 * @param whole the last state before whose data is known
	 */
	private String lost(@Nullable Revision last, @Nullable Revision whole, Revision revision) {
		Body body = revision.body();
		if (body == null) {
			return "";
		}
		Body before = known(last, revision, body);
		if (before != null && !before.usersLabels().equals(body.usersLabels())) {
			return "labels";
		}
		if (before != null && !before.annotations().equals(body.annotations())) {
			return "annotations";
		}
		if (before != null && revision.cause().bySharder() && !before.finalizers().equals(body.finalizers())) {
			return "finalizers";
		}
		before = known(whole, revision, body);
		return (before != null && changesData(before, revision.cause(), body)) ? "data" : "";
	}

	private static boolean changesData(Body before, AuditEvent cause, Body body) {
		if (!body.metadataOnly()) {
			return !before.data().equals(body.data());
		}
		// The answer does not show what became of the data that it has sent.
		Body request = cause.request();
		return request != null && !request.data().isEmpty() && !before.data().equals(request.data());
	}

	/** A state of the same object, if nothing unknown can have come after it. */
	private @Nullable Body known(@Nullable Revision state, Revision revision, Body body) {
		Body before = (state != null) ? state.body() : null;
		if (state == null || before == null || !before.uid().equals(body.uid())) {
			return null;
		}
		boolean unsure = this.unknown.getOrDefault(revision.cause().object(), List.of())
			.stream()
			.anyMatch((event) -> !event.received().isAfter(revision.completed())
					&& !event.completed().isBefore(state.received()));
		return unsure ? null : before;
	}

}
