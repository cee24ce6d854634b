package dev.sharding.internal.autoconfigure.runtime;

/**
 * A part of the application that begins to work after everything else has started, and
 * ends before anything else stops.
 */
public interface Part {

	/**
	 * What the part is called in the name of the thread that stops it.
	 * @return a short name
	 */
	String name();

	/**
	 * Begins to work; returns at once.
	 * @return whether there is anything to stop later
	 */
	boolean start();

	/** Ends the work, and waits for that. */
	void stop();

}
