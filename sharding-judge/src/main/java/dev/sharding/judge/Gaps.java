package dev.sharding.judge;

import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * Objects whose last version no answer in the log has.
 *
 * @param untold each of them with the last state that the log tells of
 */
record Gaps(Map<ObjectRef, Known> untold) {

	static Gaps of(List<LiveObject> live, List<AuditEvent> events) {
		History history = History.of(events);
		return new Gaps(live.stream()
			.filter((object) -> !isTold(object, history))
			.map(LiveObject::ref)
			.collect(Collectors.toMap(Function.identity(), (object) -> Known.of(history.of(object)))));
	}

	private static boolean isTold(LiveObject object, History history) {
		return history.of(object.ref())
			.stream()
			.anyMatch((revision) -> revision.body() != null
					&& revision.body().resourceVersion().equals(object.resourceVersion()));
	}

	/** Those whose last version no request can have stored that has no answer. */
	List<ObjectRef> unexplained(List<AuditEvent> events) {
		return this.untold.entrySet()
			.stream()
			.filter((gap) -> events.stream().noneMatch((event) -> gap.getValue().isFollowedBy(event, gap.getKey())))
			.map(Map.Entry::getKey)
			.toList();
	}

	/**
	 * @param last the last state that the log tells of, null if it tells of none
	 */
	record Known(@Nullable Revision last) {

		private static Known of(List<Revision> revisions) {
			return new Known(revisions.isEmpty() ? null : revisions.get(revisions.size() - 1));
		}

		private boolean isFollowedBy(AuditEvent event, ObjectRef object) {
			boolean later = (this.last != null) ? event.mayHaveTakenEffectAfter(this.last.cause())
					: event.mayHaveTakenEffect();
			return event.unanswered() && later && (event.object().equals(object) || mayHaveCreated(event, object));
		}

		/** The line of a create that was never answered has no name. */
		private boolean mayHaveCreated(AuditEvent event, ObjectRef object) {
			boolean there = this.last != null && this.last.body() != null;
			ObjectRef nameless = new ObjectRef(object.group(), object.resource(), object.namespace(), "");
			return !there && event.verb().equals("create") && event.object().equals(nameless);
		}

	}

}
