package dev.sharding.kubernetes.informer;

import java.util.Objects;

import org.jspecify.annotations.Nullable;

/*
 * A list by a selector leaves the watermark where it is. While others write all the time, it would be passed
 * at once anyway. But where nothing is written any more, one list of the whole scope lets a question that
 * lists nothing answer all that follow.
 */
/**
 * Decides whether a reader by a selector had better list the whole scope. Safe for use by
 * many threads.
 */
final class ScopeTurns {

	private @Nullable String present;

	private int selections;

	/**
	 * Whether the whole scope should be listed: the second time that the watermark is
	 * behind the same present, and only then, so that readers at the same time list it
	 * once.
	 * @param version the present version, which the watermark has not reached
	 */
	synchronized boolean isDue(String version) {
		this.selections = Objects.equals(version, this.present) ? this.selections + 1 : 1;
		this.present = version;
		return this.selections == 2;
	}

}
