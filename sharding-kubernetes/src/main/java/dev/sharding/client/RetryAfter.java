package dev.sharding.client;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * A failure that says when it is worth trying again. A reconcile that fails with it, or
 * because of it, is not repeated sooner.
 */
public interface RetryAfter {

	/**
	 * Returns how long to wait.
	 * @return a positive duration, or {@code null} if the failure does not say
	 */
	@Nullable Duration retryAfter();

	/**
	 * What a server asked for, within reason: five minutes at most.
	 * @param seconds what it said
	 * @return the duration, or {@code null} for what is negative
	 */
	static @Nullable Duration ofSeconds(long seconds) {
		return (seconds >= 0) ? Duration.ofSeconds(Math.min(seconds, 300)) : null;
	}

}
