package dev.sharding.internal.core.qos;

import dev.sharding.qos.spi.QosClass;

/**
 * One shard's part of a limit for the whole ring. Settled members know of each other, so
 * that their parts add up to the limit at most. A newcomer takes half of a part, and a
 * sixteenth of one until all others have looked since it came: as many as there are
 * already may come at a time, and the sum is a sixteenth above the limit at most.
 */
public final class RingShare {

	private RingShare() {
	}

	/**
	 * Into how many parts a limit is divided while nobody knows how many share it. Of its
	 * own part, a newcomer of whom the others do not know takes such a fraction.
	 */
	public static final int UNKNOWN = 16;

	/** After how many looks a shard is settled. */
	public static final int NEWCOMER_FOR = 5;

	/* The first may be from before its Lease, and the others look as often. */
	private static final int UNSEEN_FOR = 2;

	/**
	 * Returns into how many parts a limit is divided.
	 * @param members the number of available shards; less than 1 counts as 1
	 * @param looks how often this shard has looked how many there are since it is one of
	 * them, this time included; 0 if it is none
	 * @return the number of parts, of which this shard has one
	 */
	public static int parts(int members, int looks) {
		int settled = Math.max(1, members);
		if (looks > NEWCOMER_FOR) {
			return settled;
		}
		return Math.multiplyExact((looks > UNSEEN_FOR) ? 2 : UNKNOWN, settled);
	}

	/**
	 * Returns what a change of the share adds to what may be saved up or used at once.
	 * The one who had it before may have used it already, so it is not there at first.
	 * @param before the share so far
	 * @param after the share from now on, of the same limit
	 * @return the units, 0 or more
	 */
	public static long growth(QosClass before, QosClass after) {
		if (before instanceof QosClass.TokenBucket less && after instanceof QosClass.TokenBucket more) {
			return Math.max(0, more.burst() - less.burst());
		}
		if (before instanceof QosClass.RunningWindow less && after instanceof QosClass.RunningWindow more) {
			return Math.max(0, more.units() - less.units());
		}
		return 0;
	}

	/**
	 * Divides a limit. Counts do not fall below 1, so that each shard can make progress:
	 * a ring with more shards than units exceeds its limit.
	 * @param limit the limit of the ring
	 * @param parts into how many {@linkplain #parts(int, int) parts}; less than 1 counts
	 * as 1
	 * @return the limit of one shard
	 */
	public static QosClass of(QosClass limit, int parts) {
		int divisor = Math.max(1, parts);
		if (limit instanceof QosClass.TokenBucket bucket) {
			return new QosClass.TokenBucket(bucket.qps() / divisor, Math.max(1, bucket.burst() / divisor));
		}
		if (limit instanceof QosClass.LeakyBucket bucket) {
			return new QosClass.LeakyBucket(bucket.qps() / divisor,
					Math.max(Math.min(1, bucket.queue()), bucket.queue() / divisor));
		}
		if (limit instanceof QosClass.RunningWindow window) {
			return new QosClass.RunningWindow(Math.max(1, window.units() / divisor), window.window());
		}
		return new QosClass.MaxInFlight(Math.max(1, ((QosClass.MaxInFlight) limit).max() / divisor));
	}

}
