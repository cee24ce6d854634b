package dev.sharding.controller;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The law of repeated events: the same event again within six minutes is counted, not
 * created, and the count is sent at most every ten seconds. It remembers a thousand
 * events. Not thread-safe.
 */
final class EventSeries {

	static final Duration FORGET_AFTER = Duration.ofMinutes(6);

	static final Duration SEND_AGAIN_AFTER = Duration.ofSeconds(10);

	static final int CAPACITY = 1000;

	private final Map<Content, Known> known = new LinkedHashMap<>(16, 0.75f, true) {

		private static final long serialVersionUID = 1L;

		@Override
		protected boolean removeEldestEntry(Map.Entry<Content, Known> eldest) {
			return size() > CAPACITY;
		}
	};

	/**
	 * Takes note of an event.
	 * @param content what it says
	 * @param name the name for a new event object
	 * @param now the current time
	 * @return what to send
	 */
	Step next(Content content, String name, Instant now) {
		Known before = this.known.get(content);
		if (before == null || before.seen.plus(FORGET_AFTER).isBefore(now)) {
			this.known.put(content, new Known(name, now));
			return new Step(Action.CREATE, name, 1);
		}
		before.count++;
		before.seen = now;
		if (!before.created || before.count > 2 && before.sent.plus(SEND_AGAIN_AFTER).isAfter(now)) {
			return new Step(Action.WAIT, before.name, before.count);
		}
		before.sent = now;
		return new Step(Action.COUNT, before.name, before.count);
	}

	/**
	 * The event object is there. Only now its count can be updated.
	 * @param content what it says
	 * @param name the name of the event object
	 * @param now the current time
	 * @return what to send: the count, if the event was seen again meanwhile
	 */
	Step created(Content content, String name, Instant now) {
		Known known = this.known.get(content);
		if (known == null || !known.name.equals(name)) {
			return new Step(Action.WAIT, name, 1);
		}
		known.created = true;
		known.sent = now;
		return new Step((known.count > 1) ? Action.COUNT : Action.WAIT, name, known.count);
	}

	/** The event object could not be written: begin anew next time. */
	void forget(Content content) {
		this.known.remove(content);
	}

	enum Action {

		/** Create an event object. */
		CREATE,

		/** Update the count of the event object. */
		COUNT,

		/** Send nothing now. */
		WAIT

	}

	/**
	 * What makes two events the same.
	 *
	 * @param object the uid, or the path, of the object
	 * @param type Normal or Warning
	 * @param reason the reason
	 * @param action the action
	 * @param note the note
	 */
	record Content(String object, String type, String reason, String action, String note) {
	}

	/**
	 * What to send.
	 *
	 * @param action what to do
	 * @param name the name of the event object
	 * @param count how often the event was seen
	 */
	record Step(Action action, String name, int count) {
	}

	private static final class Known {

		private final String name;

		private Instant seen;

		private Instant sent;

		private boolean created;

		private int count = 1;

		Known(String name, Instant now) {
			this.name = name;
			this.seen = now;
			this.sent = now;
		}

	}

}
