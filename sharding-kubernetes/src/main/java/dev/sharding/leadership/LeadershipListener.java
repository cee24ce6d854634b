package dev.sharding.leadership;

/**
 * Hears when this process becomes the leader, and when it is no longer. Calls come one
 * after the other, on a thread of their own.
 */
public interface LeadershipListener {

	/**
	 * This process is the leader. May do the work of the leader right here, for as long
	 * as the term lasts: the thread is interrupted when the Lease is lost or the
	 * application stops. Listeners that were added later hear of the term only if it
	 * still lasts when this returns, so of several only the last may stay.
	 */
	default void acquired() {
	}

	/**
	 * This process is the leader no longer, or about to give the Lease back: then it is
	 * kept until this returns, for as long as a stop waits. Nothing begins in a next term
	 * before. Whoever has not heard of the term does not hear of its end.
	 */
	default void lost() {
	}

}
