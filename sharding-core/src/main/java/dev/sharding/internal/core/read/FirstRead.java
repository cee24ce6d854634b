package dev.sharding.internal.core.read;

/**
 * What becomes of a read of memory that may not have been filled yet. It is never
 * answered from memory that was not, as that would be to say that nothing exists.
 */
public enum FirstRead {

	/** Memory answers. */
	ANSWER,

	/** It waits, for as long as it may. */
	WAIT,

	/** It fails: memory is filled later, perhaps by the thread that wants to read. */
	NOT_STARTED,

	/** It fails: the API server has refused, and to wait would not help. */
	REFUSED,

	/** It fails: memory is not filled as long as this thread waits. */
	THREAD,

	/** It fails: memory will not be filled any more. */
	CLOSED;

	/**
	 * Decides.
	 * @param filling how far memory is
	 * @param threadNeeded whether the thread of the reader is one that fills memory
	 * @return what becomes of the read
	 */
	public static FirstRead of(Filling filling, boolean threadNeeded) {
		return switch (filling) {
			case FILLED -> ANSWER;
			case NOT_STARTED -> NOT_STARTED;
			case REFUSED -> REFUSED;
			case CLOSED -> CLOSED;
			case FILLING -> threadNeeded ? THREAD : WAIT;
		};
	}

}
