package dev.sharding.internal.sharder.memory;

/**
 * How full the heap was with live objects when that was looked at last.
 *
 * @param level what follows from that
 * @param live bytes that were in use right after a collection
 * @param max bytes that may be; zero or less if that is not known
 * @param nearAt when it was near its bound last, in nanoseconds of a monotonic clock
 */
public record MemoryState(Level level, long live, long max, long nearAt) {

	/** Nothing is known, and nothing is wrong. */
	public static final MemoryState UNKNOWN = new MemoryState(Level.FINE, 0, 0, 0);

	/**
	 * Tells whether the sharder has to work slowly.
	 * @return {@code true} until it is clear that there is room again
	 */
	public boolean isShort() {
		return this.level != Level.FINE;
	}

	/**
	 * How much room there is; from good to bad.
	 */
	public enum Level {

		/** Enough. */
		FINE,

		/** It was too little a moment ago. */
		EASING,

		/** So little that the process ends if there is much less. */
		NEAR

	}

}
