package dev.sharding.internal.core.assignment;

import java.time.Duration;

/**
 * How well a replica knows the shards of a ring, by when it heard of one of their Leases.
 * As long as a shard lives, its Lease is renewed well within the duration that it says.
 * Who hears of none for longer was stopped, or is cut off, and knows the past. What has
 * piled up then comes in order, so for a moment it still does.
 *
 * @param at when something was heard last, on a monotonic clock in nanoseconds
 * @param caughtUp from when on what had piled up has come
 */
public record Hearing(long at, long caughtUp) {

	/** How long it may take until all that has piled up has come. */
	static final Duration CATCH_UP = Duration.ofSeconds(1);

	/**
	 * Everything was heard for the first time.
	 * @param now on the monotonic clock
	 * @return what was heard
	 */
	public static Hearing first(long now) {
		return new Hearing(now, now);
	}

	/**
	 * Something was heard again.
	 * @param now on the monotonic clock
	 * @param silence for how long a ring with a living shard may be silent
	 * @return what was heard
	 */
	public Hearing again(long now, Duration silence) {
		return new Hearing(now, isSilent(now, silence) ? now + CATCH_UP.toNanos() : this.caughtUp);
	}

	/**
	 * Tells whether what is known is of the present.
	 * @param now on the monotonic clock
	 * @param silence for how long a ring with a living shard may be silent
	 * @return {@code false} if it may be of the past
	 */
	public boolean isOfThePresent(long now, Duration silence) {
		return !isSilent(now, silence) && now - this.caughtUp >= 0;
	}

	private boolean isSilent(long now, Duration silence) {
		return now - this.at > silence.toNanos();
	}

}
