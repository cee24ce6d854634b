package dev.sharding.judge;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/** Which derived object belongs to which main object. */
final class Derived {

	private final RingUnderTest ring;

	private final History history;

	private final Map<ObjectRef, List<ObjectRef>> children = new HashMap<>();

	Derived(RingUnderTest ring, History history) {
		this.ring = ring;
		this.history = history;
		for (ObjectRef object : history.objects()) {
			ObjectRef main = ring.isControlled(object) ? mainOf(object) : null;
			if (main != null) {
				this.children.computeIfAbsent(main, (key) -> new ArrayList<>()).add(object);
			}
		}
	}

	List<ObjectRef> of(ObjectRef main) {
		return this.children.getOrDefault(main, List.of());
	}

	/** The main object of a derived one, null if it never had one. */
	@Nullable ObjectRef mainOf(ObjectRef object) {
		for (Revision revision : this.history.of(object)) {
			Body body = revision.body();
			ObjectRef main = (body != null) ? this.ring.mainOf(object, body.controller()) : null;
			if (main != null) {
				return main;
			}
		}
		return null;
	}

	/**
	 * The main object that a request is about: itself, or that of a derived object as
	 * sent, as answered, as it was stored, or as it ever was if it is deleted; null if it
	 * is about no object of the ring, or nobody knows.
	 */
	@Nullable ObjectRef mainOf(AuditEvent event) {
		if (this.ring.isMain(event.object())) {
			return event.object();
		}
		if (!this.ring.isControlled(event.object())) {
			return null;
		}
		Body request = event.request();
		Body response = event.response();
		Revision stored = this.history.at(event.object(), event.received());
		for (Body body : new @Nullable Body[] { request, response, (stored != null) ? stored.body() : null }) {
			ObjectRef main = (body != null) ? this.ring.mainOf(event.object(), body.controller()) : null;
			if (main != null) {
				return main;
			}
		}
		return mainOf(event.object());
	}

}
