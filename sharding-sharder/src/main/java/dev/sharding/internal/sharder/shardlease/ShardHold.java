package dev.sharding.internal.sharder.shardlease;

/**
 * The sharder holds the Lease of a shard, and the claims of that shard are over. Safe for
 * use by many threads.
 */
public interface ShardHold {

	/**
	 * The shard.
	 * @return its name
	 */
	String shard();

	/**
	 * Tells holds of one shard apart: between two of them the shard may have been back.
	 * @return the same number for all holds that are one uninterrupted time
	 */
	long number();

	/**
	 * Tells whether it can be proved at this moment that nobody acts as the shard. Ask
	 * right before each write that relies on it.
	 * @return {@code false} once that was not so, for good
	 */
	boolean isValid();

	/** Gives the hold up. The Lease is given back when nobody wants it any more. */
	void release();

}
