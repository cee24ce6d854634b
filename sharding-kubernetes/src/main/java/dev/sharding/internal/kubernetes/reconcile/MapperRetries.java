package dev.sharding.internal.kubernetes.reconcile;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;

import dev.sharding.controller.Backoff;

/**
 * What mappers failed at: they are asked again until they answer or the controller stops,
 * with growing pauses. Of one object the last state is kept, and of all objects as many
 * as the thread takes; for what is more, all objects are looked at instead. Safe for use
 * by many threads.
 */
final class MapperRetries {

	private final UserThread thread;

	private final Backoff backoff;

	private final Map<Object, Failed> failed = new HashMap<>();

	/**
	 * How often in a row there was too much to keep, each time a pause after the last.
	 */
	private int overflows;

	/** Whether there was too much in this pause. */
	private boolean overflowed;

	MapperRetries(UserThread thread, Backoff backoff) {
		this.thread = thread;
		this.backoff = backoff;
	}

	/**
	 * Has a mapper asked again, soon: a new state does not wait for what the failures at
	 * the last one have come to.
	 * @param about what it failed at, the same for all states of one object
	 * @param question asks about one state, and tells whether that was answered
	 * @return whether nothing else about that object waits, and this does
	 */
	synchronized boolean add(Object about, BooleanSupplier question) {
		Failed known = this.failed.get(about);
		if (known != null && known.failures == 1) {
			known.question = question;
			known.incomplete = true;
			return false;
		}
		return keep(about, new Failed(question, 1, known != null)) && known == null;
	}

	private boolean keep(Object about, Failed what) {
		boolean kept = this.thread.runAfter(pause(what.failures), () -> ask(about, what));
		if (kept) {
			this.failed.put(about, what);
		}
		else {
			this.failed.remove(about);
			overflow();
		}
		return kept;
	}

	private void ask(Object about, Failed what) {
		BooleanSupplier question = waiting(about, what);
		if (question == null) {
			return;
		}
		boolean answered = false;
		try {
			answered = question.getAsBoolean();
		}
		finally {
			settle(about, what, question, answered);
		}
	}

	/* Nothing, where a newer state has a timer of its own. */
	private synchronized @Nullable BooleanSupplier waiting(Object about, Failed what) {
		return (this.failed.get(about) == what) ? what.question : null;
	}

	private synchronized void settle(Object about, Failed what, BooleanSupplier question, boolean answered) {
		if (this.failed.get(about) != what) {
			return;
		}
		if (!answered || what.question != question) {
			keep(about, new Failed(what.question, what.failures + 1, what.incomplete));
			return;
		}
		this.failed.remove(about);
		if (what.incomplete) {
			lookAtAll();
		}
	}

	/* One look makes good for all states that nobody will ask about. */
	private void lookAtAll() {
		this.failed.values().forEach((other) -> other.incomplete = false);
		this.thread.lookAtAll();
	}

	private void overflow() {
		this.overflowed = true;
		if (this.overflows == 0) {
			makeGood();
		}
	}

	private synchronized void makeGood() {
		if (this.overflowed) {
			this.overflowed = false;
			this.overflows++;
			this.thread.tellOfDrop();
			lookAtAll();
			this.thread.submit(this::makeGood, pause(this.overflows));
		}
		else {
			this.overflows = 0;
		}
	}

	private Duration pause(int failures) {
		return Duration.ofNanos(this.backoff.delayNanos(failures, 0));
	}

	/**
	 * The last state of an object, which waits for an answer.
	 */
	private static final class Failed {

		private final int failures;

		private BooleanSupplier question;

		/** Whether there were other states that got no answer. */
		private boolean incomplete;

		Failed(BooleanSupplier question, int failures, boolean incomplete) {
			this.question = question;
			this.failures = failures;
			this.incomplete = incomplete;
		}

	}

}
