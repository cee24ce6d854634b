package dev.sharding.core.qos;

/**
 * One shard's part of a limit for the whole ring.
 */
public final class RingShare {

	private RingShare() {
	}

	/**
	 * Divides a limit by the live number of shards. Counts do not fall below 1, so that
	 * each shard can make progress: a ring with more shards than units exceeds its limit.
	 * @param limit the limit of the ring
	 * @param shards the number of available shards; less than 1 counts as 1
	 * @return the limit of one shard
	 */
	public static QosClass of(QosClass limit, int shards) {
		int parts = Math.max(1, shards);
		if (limit instanceof QosClass.TokenBucket bucket) {
			return new QosClass.TokenBucket(bucket.qps() / parts, Math.max(1, bucket.burst() / parts));
		}
		if (limit instanceof QosClass.LeakyBucket bucket) {
			return new QosClass.LeakyBucket(bucket.qps() / parts, bucket.queue() / parts);
		}
		if (limit instanceof QosClass.RunningWindow window) {
			return new QosClass.RunningWindow(Math.max(1, window.units() / parts), window.window());
		}
		return new QosClass.MaxInFlight(Math.max(1, ((QosClass.MaxInFlight) limit).max() / parts));
	}

}
