package dev.sharding.internal.kubernetes.reconcile;

/**
 * Hears of objects that left a shard or came to it, one after the other on a thread of
 * its own. One that falls 10,000 moves behind misses some.
 */
@FunctionalInterface
public interface MoveListener {

	/**
	 * An object left or came.
	 * @param move what happened
	 */
	void moved(Move move);

}
