package dev.sharding.internal.core.overlay;

import java.time.Duration;

/**
 * How long the overlay waits for what.
 *
 * @param hold how long an event is held for a writer while its write is on the way
 * @param cover how long after an own delete the overlay asks for a version not older than
 * it (the answer to a delete has none)
 * @param stuck when the overlay asks for a relist because the feed did not get to an own
 * write; longer than the interval of bookmarks, which is about a minute
 * @param heldPerKey the most events held for one key; with one more all are delivered
 */
public record OverlayLimits(Duration hold, Duration cover, Duration stuck, int heldPerKey) {

	public OverlayLimits {
		requirePositive("hold", hold);
		requirePositive("cover", cover);
		requirePositive("stuck", stuck);
		if (heldPerKey < 1) {
			throw new IllegalArgumentException("'heldPerKey' must be positive (is " + heldPerKey + ")");
		}
	}

	/**
	 * Events are held for 10 s, deletes covered after 30 s, relists asked for after 5
	 * minutes, at most 64 events held for a key.
	 */
	public static OverlayLimits defaults() {
		return new OverlayLimits(Duration.ofSeconds(10), Duration.ofSeconds(30), Duration.ofMinutes(5), 64);
	}

	private static void requirePositive(String name, Duration value) {
		if (value.isNegative() || value.isZero()) {
			throw new IllegalArgumentException("'" + name + "' must be positive (is " + value + ")");
		}
	}

}
