package dev.sharding.internal.kubernetes.qos.limit;

/**
 * A limit whose law says at once how long a request has to wait. Safe for many threads.
 */
interface Reservations {

	/**
	 * Reserves, and tells nobody.
	 * @param units 0 or more
	 * @param longestNanos longer waits are refused
	 * @return nanoseconds to wait, negative if it is refused
	 */
	long reserve(long units, long longestNanos);

	/** Takes what could go now. */
	void drain();

	/** How many units could go now; a debt is below zero. */
	long available();

}
