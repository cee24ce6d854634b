package dev.sharding.internal.kubernetes.informer;

import java.time.Duration;

/**
 * How patient an informer is.
 *
 * @param firstRetry wait after the first failure in a row; doubles with each further one
 * @param longestRetry the longest such wait
 * @param shortestWatch the shortest time after which a watch is ended and re-opened
 * @param longestWatch the longest such time; each watch draws its own in between
 * @param silence how long an open watch may send nothing, not even a bookmark, before its
 * connection is taken for dead and re-opened where it stopped. The API server sends a
 * bookmark a minute unless nothing at all happened
 * @param answer how long a list may take, or a watch until its headers
 * @param stall how long a refresh waits for events that must come before the watch is
 * re-opened
 */
public record InformerTimings(Duration firstRetry, Duration longestRetry, Duration shortestWatch, Duration longestWatch,
		Duration silence, Duration answer, Duration stall) {

	/** Those of client-go where it has them. */
	public static final InformerTimings DEFAULT = new InformerTimings(Duration.ofMillis(800), Duration.ofSeconds(30),
			Duration.ofMinutes(5), Duration.ofMinutes(10), Duration.ofSeconds(150), Duration.ofSeconds(30),
			Duration.ofSeconds(5));

	public InformerTimings {
		requirePositive("firstRetry", firstRetry);
		requirePositive("shortestWatch", shortestWatch);
		requirePositive("silence", silence);
		requirePositive("answer", answer);
		requirePositive("stall", stall);
		requireNotShorter("longestRetry", longestRetry, "firstRetry", firstRetry);
		requireNotShorter("longestWatch", longestWatch, "shortestWatch", shortestWatch);
	}

	/**
	 * These timings with another tolerance of silence.
	 * @param silence how long an open watch may send nothing
	 * @return the timings
	 */
	public InformerTimings withSilence(Duration silence) {
		return new InformerTimings(this.firstRetry, this.longestRetry, this.shortestWatch, this.longestWatch, silence,
				this.answer, this.stall);
	}

	/**
	 * These timings with another length of watches.
	 * @param shortest the shortest time
	 * @param longest the longest time
	 * @return the timings
	 */
	public InformerTimings withWatch(Duration shortest, Duration longest) {
		return new InformerTimings(this.firstRetry, this.longestRetry, shortest, longest, this.silence, this.answer,
				this.stall);
	}

	/**
	 * These timings with other waits after failures.
	 * @param first the first wait
	 * @param longest the longest wait
	 * @return the timings
	 */
	public InformerTimings withRetry(Duration first, Duration longest) {
		return new InformerTimings(first, longest, this.shortestWatch, this.longestWatch, this.silence, this.answer,
				this.stall);
	}

	/**
	 * These timings with another patience for answers.
	 * @param answer how long a list may take
	 * @return the timings
	 */
	public InformerTimings withAnswer(Duration answer) {
		return new InformerTimings(this.firstRetry, this.longestRetry, this.shortestWatch, this.longestWatch,
				this.silence, answer, this.stall);
	}

	/**
	 * The wait before the next attempt.
	 * @param failures how many attempts in a row have failed, at least 1
	 * @param random from 0 to 1: draws from the upper half of the wait, so that informers
	 * that failed together do not come back together
	 * @return the wait
	 */
	public Duration retryAfter(int failures, double random) {
		double full = this.firstRetry.toMillis() * Math.pow(2, Math.min(failures - 1, 40));
		double capped = Math.min(full, this.longestRetry.toMillis());
		return Duration.ofMillis(Math.round(capped * (0.5 + 0.5 * random)));
	}

	/**
	 * How long the next watch lives.
	 * @param random from 0 to 1
	 * @return whole seconds, at least 1
	 */
	public long watchSeconds(double random) {
		long shortest = this.shortestWatch.toSeconds();
		return Math.max(1, shortest + Math.round(random * (this.longestWatch.toSeconds() - shortest)));
	}

	private static void requirePositive(String name, Duration value) {
		if (value.isNegative() || value.isZero()) {
			throw new IllegalArgumentException("'%s' must be positive (is %s)".formatted(name, value));
		}
	}

	private static void requireNotShorter(String name, Duration value, String otherName, Duration other) {
		if (value.compareTo(other) < 0) {
			throw new IllegalArgumentException(
					"'%s' must not be shorter than '%s' (is %s, %s)".formatted(name, otherName, value, other));
		}
	}

}
