package dev.sharding.shard;

/**
 * Ends the application when its shard cannot go on: another process uses its name, or its
 * Lease is lost and {@code sharding.lease.on-loss} is {@code exit}. Define a bean of this
 * type to end it in another way. The default closes the application context and then
 * exits with status 1.
 */
@FunctionalInterface
public interface ApplicationExit {

	/**
	 * Begins to end the application, and returns.
	 * @param reason why, for people
	 */
	void begin(String reason);

}
