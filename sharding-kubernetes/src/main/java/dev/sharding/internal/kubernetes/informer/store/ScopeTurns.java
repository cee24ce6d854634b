package dev.sharding.internal.kubernetes.informer.store;

import java.util.Objects;

import org.jspecify.annotations.Nullable;

/*
 * A list by a selector leaves the watermark where it is. While others write all the time, it would be passed
 * at once anyway, and as long as nothing is written, readers of a selector get what the last of them found.
 * But where nothing is written and many selectors are asked for, one list of the whole scope lets a question
 * that lists nothing answer all that follow.
 */
/**
 * Decides whether a reader by a selector had better list the whole scope. Safe for use by
 * many threads.
 */
final class ScopeTurns {

	private @Nullable String present;

	private int selections;

	/**
	 * So many lists by selectors cost the API server about as much as one of the scope.
	 */
	static final int SELECTIONS = 8;

	/**
	 * Whether the whole scope should be listed: at the eighth list while the watermark is
	 * behind the same present, and only then, so that readers at the same time list it
	 * once.
	 * @param version the present version, which the watermark has not reached
	 */
	synchronized boolean isDue(String version) {
		this.selections = Objects.equals(version, this.present) ? this.selections + 1 : 1;
		this.present = version;
		return this.selections == SELECTIONS;
	}

}
