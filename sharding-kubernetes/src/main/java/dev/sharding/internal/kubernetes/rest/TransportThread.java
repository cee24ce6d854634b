package dev.sharding.internal.kubernetes.rest;

/**
 * Tells the threads that answers of the API server come in on. Whoever waits there for an
 * answer may wait for itself.
 */
public final class TransportThread {

	/** The event loops of Vert.x, the default transport of the client. */
	private static final String EVENT_LOOP = "vert.x-eventloop-thread";

	private TransportThread() {
	}

	/**
	 * Whether the calling thread is one.
	 * @return whether it must not wait for answers
	 */
	public static boolean isCurrent() {
		return Thread.currentThread().getName().startsWith(EVENT_LOOP);
	}

}
