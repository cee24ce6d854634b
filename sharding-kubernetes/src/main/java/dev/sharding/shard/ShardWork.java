package dev.sharding.shard;

/**
 * Work for the objects of a shard that none of its controllers does: a loop of one's own,
 * or another library. Added to a {@link Shard} before that starts. Both methods are
 * called from one thread, in turns.
 */
public interface ShardWork {

	/**
	 * From now on the shard may act: its Lease is held, and what it caches is not older
	 * than that. Returns when the work goes on by itself; until then a shard of an
	 * application is not ready. The thread is interrupted when the Lease is lost
	 * meanwhile. If this fails, {@link #end()} is called, and this again a second later.
	 * @throws Exception if the work cannot begin now
	 */
	void begin() throws Exception;

	/**
	 * The shard may act no longer: its Lease is lost, or about to be given back. Returns
	 * when nothing acts any more; a Lease that is still held is kept until then, for as
	 * long as the shard waits for running reconciles. If this fails, it is called again a
	 * second later.
	 * @throws Exception if something may still act
	 */
	void end() throws Exception;

}
