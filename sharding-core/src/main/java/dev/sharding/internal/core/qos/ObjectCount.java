package dev.sharding.internal.core.qos;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * How many objects a collection held, and when that was.
 *
 * @param objects how many; {@link Double#NaN} if the server could not say
 * @param countedAtNanos when it was asked, on the monotonic clock
 */
public record ObjectCount(double objects, long countedAtNanos) {

	/** So many periods a count is good for, if no later one could be had. */
	private static final int PERIODS = 10;

	/**
	 * Whether it is time to ask again.
	 * @param period how long a count needs no other
	 * @param now the monotonic clock in nanoseconds
	 * @return whether it is
	 */
	public boolean isDue(Duration period, long now) {
		return now - this.countedAtNanos >= period.toNanos();
	}

	/**
	 * Returns what is known now.
	 * @param period how long a count needs no other
	 * @param now the monotonic clock in nanoseconds
	 * @return objects; {@link Double#NaN} if the count is too old, or never was one
	 */
	public double at(Duration period, long now) {
		return (now - this.countedAtNanos >= period.multipliedBy(PERIODS).toNanos()) ? Double.NaN : this.objects;
	}

	/**
	 * Counts a list of one object.
	 * @param returned objects in the answer
	 * @param remaining what the server says remains, or {@code null}
	 * @param continued whether there is a next page
	 * @return objects; {@link Double#NaN} if more remain and the server does not say how
	 * many
	 */
	public static double inAnswer(int returned, @Nullable Long remaining, boolean continued) {
		if (remaining != null) {
			return returned + (double) Math.max(0, remaining);
		}
		return continued ? Double.NaN : returned;
	}

}
