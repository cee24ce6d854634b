package dev.sharding.kubernetes.reconcile;

/**
 * Hears of objects that left a shard or came to it. Return at once: the calls come from
 * the workers.
 */
@FunctionalInterface
public interface MoveListener {

	/**
	 * An object left or came.
	 * @param move what happened
	 */
	void moved(Move move);

}
