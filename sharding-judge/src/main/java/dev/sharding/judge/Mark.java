package dev.sharding.judge;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * A line that whoever drives the run draws into the audit log, by writing the ConfigMap
 * {@value #NAME} in {@value #NAMESPACE} (outside the scope of the ring).
 *
 * @param at when the API server received it
 * @param step name of the step
 * @param phase what it says
 * @param subject what is disturbed or who is stopped, empty where the phase has none
 * @param workers how many requests a stopped process, or any from this step on, may have
 * on their way
 */
record Mark(Instant at, String step, Phase phase, String subject, int workers) {

	static final String NAMESPACE = "sharding-system";

	static final String NAME = "judge-mark";

	/** All that a mark can say. */
	enum Phase {

		/** The step begins. */
		BEGIN,

		/** All is said to be quiet now, so every object must be in its place. */
		QUIESCENT,

		/** That process does nothing any more: its subject is the user. */
		STOPPED,

		/** That process goes on. */
		RESUMED,

		/**
		 * No progress can be asked for: its subject is an object, a shard, the user of a
		 * process, the sharder, or all.
		 */
		DISTURBED,

		/** Progress can be asked for again. */
		CALM,

		/** What was not answered by now never will be: the API server began anew. */
		CUT,
		/** The store is about to be copied. */
		SNAPSHOT,
		/**
		 * The store is that copy again: its subject is the version up to which the copy
		 * goes, and when the API server that knew a later one had ended.
		 */
		RESTORED

	}

	/** Subject that is everything. */
	static final String ALL = "*";

	/** Subject that is whoever gives objects their owners. */
	static final String SHARDER = "sharder";

	boolean quiescent() {
		return this.phase == Phase.QUIESCENT;
	}

	/** The marks in the log, in order. */
	static List<Mark> of(List<AuditEvent> events) {
		List<Mark> marks = new ArrayList<>();
		for (AuditEvent event : events) {
			Body body = event.response();
			boolean isMark = event.object().namespace().equals(NAMESPACE) && event.object().name().equals(NAME)
					&& event.object().resource().equals("configmaps");
			if (isMark && event.changesState() && body != null) {
				String phase = body.data().getOrDefault("phase", "").toUpperCase(java.util.Locale.ROOT);
				marks.add(new Mark(event.received(), body.data().getOrDefault("step", ""), Phase.valueOf(phase),
						body.data().getOrDefault("subject", ""),
						Integer.parseInt(body.data().getOrDefault("workers", "0"))));
			}
		}
		marks.sort(Comparator.comparing(Mark::at));
		return marks;
	}

}
