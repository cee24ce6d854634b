package dev.sharding.internal.core.overlay;

import dev.sharding.internal.core.overlay.ObservedEvent.Added;
import dev.sharding.internal.core.overlay.ObservedEvent.Updated;

/**
 * Tells whether an event is the echo of an own write.
 */
final class EchoProof<K, T> {

	private final ObjectAccess<K, T> access;

	EchoProof(ObjectAccess<K, T> access) {
		this.access = access;
	}

	/*
	 * Two things must be shown: that our write made the version, and that the event shows
	 * nothing but this one step.
	 *
	 * A create made its version, it cannot be a no-op. With a lock a no-op answers with
	 * the base version, any other version is ours; and if the informer's state before the
	 * event has the base version too, there is no room for another change in between, not
	 * even in a relist. Without a lock the answer to a no-op carries the version of
	 * somebody else's change, so the content must speak, and in a relist it cannot: two
	 * foreign changes that undo each other would leave no trace.
	 */
	Verdict judge(Flight<K, T> flight, ObservedEvent<T> event, boolean relist) {
		if (!flight.inFlight() && !isAnswerOf(flight, event.object())) {
			return Verdict.FOREIGN;
		}
		return mayExplain(flight.write, event, relist) ? (flight.inFlight() ? Verdict.POSSIBLE : Verdict.OWN)
				: Verdict.FOREIGN;
	}

	private boolean isAnswerOf(Flight<K, T> flight, T object) {
		return this.access.uid(object).equals(flight.uid())
				&& String.valueOf(this.access.version(object)).equals(flight.version());
	}

	private boolean mayExplain(OwnWrite<K, T> write, ObservedEvent<T> event, boolean relist) {
		if (write instanceof OwnWrite.Create<K, T>) {
			return event instanceof Added<T> && !relist;
		}
		if (!(write instanceof OwnWrite.Update<K, T> update) || isAnotherObject(event)) {
			return false;
		}
		if (update.baseVersion() == null) {
			return !relist && update.change().explains(event.before(), event.object());
		}
		return event instanceof Updated<T> updated
				&& update.baseVersion().equals(this.access.version(updated.before()));
	}

	private boolean isAnotherObject(ObservedEvent<T> event) {
		T before = event.before();
		return before != null && !this.access.uid(before).equals(this.access.uid(event.object()));
	}

	/**
	 * What is known about an event and a write.
	 */
	enum Verdict {

		/** Not the echo of the write. */
		FOREIGN,

		/** It can be, the answer to the write will tell. */
		POSSIBLE,

		/** It is. */
		OWN

	}

}
