package dev.sharding.internal.kubernetes.qos;

import java.time.Duration;
import java.util.Set;

/**
 * What of QoS does not change while the process runs.
 *
 * @param remembered how many shapes of requests are remembered, at least 1
 * @param unknownItems how many objects a list is predicted to read whose collection
 * nobody could count yet
 * @param countPeriod for how long a count of a collection needs no other
 * @param latest how many limited and expensive requests are kept for the monitor
 * @param storageQuota the server's storage quota in bytes; 0 if it is not known, then
 * storage never counts as full
 * @param storagePeriod how often the server's storage size is read; a reading counts for
 * three periods
 * @param exempt requests that no rule limits
 */
public record QosOptions(int remembered, long unknownItems, Duration countPeriod, int latest, long storageQuota,
		Duration storagePeriod, Set<Exemption> exempt) {

	/**
	 * 1,024 shapes, 2,000 objects, a minute, 1,000 requests, no quota, every 30 seconds,
	 * all exemptions.
	 */
	public static final QosOptions DEFAULTS = new QosOptions(1_024, 2_000, Duration.ofMinutes(1), 1_000, 0,
			Duration.ofSeconds(30), Set.of(Exemption.values()));

	/**
	 * Checks the options.
	 * @throws IllegalArgumentException if a value is out of its range
	 */
	public QosOptions {
		require(remembered >= 1, "'remembered' must be at least 1 (is %d)", remembered);
		require(unknownItems >= 0, "'unknownItems' must not be negative (is %d)", unknownItems);
		require(countPeriod.compareTo(Duration.ZERO) > 0 && countPeriod.compareTo(Duration.ofDays(1)) <= 0,
				"'countPeriod' must be positive, and at most a day (is %s)", countPeriod);
		require(latest >= 1, "'latest' must be at least 1 (is %d)", latest);
		require(storageQuota >= 0, "'storageQuota' must not be negative (is %d)", storageQuota);
		require(storagePeriod.compareTo(Duration.ZERO) > 0 && storagePeriod.compareTo(Duration.ofDays(1)) <= 0,
				"'storagePeriod' must be positive, and at most a day (is %s)", storagePeriod);
		exempt = Set.copyOf(exempt);
	}

	private static void require(boolean holds, String message, Object value) {
		if (!holds) {
			throw new IllegalArgumentException(message.formatted(value));
		}
	}

}
