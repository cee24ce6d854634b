package dev.sharding.demo.chaos;

import java.time.Instant;

/**
 * Something that should not be.
 *
 * @param at when it was
 * @param kind the counter of the judge, or {@link #PROCESS}, {@link #PLACE} or
 * {@link #GROWTH}
 * @param text what it was
 */
record Violation(Instant at, String kind, String text) {

	/** A process ended by itself, or did not live through a fault. */
	static final String PROCESS = "process";

	/** Something was not in its place for a minute in which nothing was wrong. */
	static final String PLACE = "place";

	/** A process needs more and more of something. */
	static final String GROWTH = "growth";

	@Override
	public String toString() {
		return this.kind + ": " + this.text;
	}

}
