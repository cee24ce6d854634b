package dev.sharding.kubernetes.reconcile;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/**
 * What mappers failed at: they are asked again until they answer or the controller stops,
 * with growing pauses. Of one object a few states are kept, and of all objects as many as
 * the thread takes; for what is more, all objects are looked at instead. Safe for use by
 * many threads.
 */
final class MapperRetries {

	/** How many states of one object are kept. */
	static final int STATES = 10;

	private final UserThread thread;

	private final Backoff backoff;

	private final Map<Object, Failed> failed = new HashMap<>();

	MapperRetries(UserThread thread, Backoff backoff) {
		this.thread = thread;
		this.backoff = backoff;
	}

	/**
	 * Has a mapper asked again.
	 * @param about what it failed at, the same for all states of one object
	 * @param question asks about one state, and tells whether that was answered
	 */
	synchronized void add(Object about, BooleanSupplier question) {
		Failed known = this.failed.get(about);
		if (known != null) {
			known.add(question);
			return;
		}
		Failed first = new Failed();
		first.add(question);
		if (askLater(about, first, 1)) {
			this.failed.put(about, first);
		}
	}

	private boolean askLater(Object about, Failed what, int failures) {
		return this.thread.runAfter(Duration.ofNanos(this.backoff.delayNanos(failures, 0)),
				() -> ask(about, what, failures));
	}

	private void ask(Object about, Failed what, int failures) {
		List<BooleanSupplier> answered = new ArrayList<>(waiting(what));
		answered.removeIf((question) -> !question.getAsBoolean());
		settle(about, what, answered, failures);
	}

	private synchronized List<BooleanSupplier> waiting(Failed what) {
		return List.copyOf(what.questions);
	}

	private synchronized void settle(Object about, Failed what, List<BooleanSupplier> answered, int failures) {
		what.questions.removeAll(answered);
		if (what.questions.isEmpty()) {
			this.failed.remove(about);
			if (what.incomplete) {
				this.thread.lookAtAll();
			}
		}
		else if (!askLater(about, what, failures + 1)) {
			this.failed.remove(about);
		}
	}

	/**
	 * The states of one object that wait for an answer.
	 */
	private static final class Failed {

		private final List<BooleanSupplier> questions = new ArrayList<>();

		private boolean incomplete;

		/* The first ones and the last ones. */
		void add(BooleanSupplier question) {
			if (this.questions.size() == STATES) {
				this.questions.remove(STATES / 2);
				this.incomplete = true;
			}
			this.questions.add(question);
		}

	}

}
