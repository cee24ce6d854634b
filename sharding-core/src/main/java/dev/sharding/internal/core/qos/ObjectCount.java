package dev.sharding.internal.core.qos;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * How many objects a collection held, and when that was.
 *
 * @param objects how many; {@link Double#NaN} if the server could not say
 * @param countedAtNanos when that was known, on the monotonic clock
 * @param askedAtNanos when the server was asked last, which may have failed
 */
public record ObjectCount(double objects, long countedAtNanos, long askedAtNanos) {

	/** So many periods a count is good for, if no later one could be had. */
	private static final int PERIODS = 10;

	/**
	 * The server has answered.
	 * @param objects how many there are; {@link Double#NaN} if it could not say
	 * @param now the monotonic clock in nanoseconds
	 * @return the count
	 */
	public static ObjectCount of(double objects, long now) {
		return new ObjectCount(objects, now, now);
	}

	/**
	 * The server is asked, or has failed to answer.
	 * @param now the monotonic clock in nanoseconds
	 * @return the same count, which is asked for again a period later
	 */
	public ObjectCount asked(long now) {
		return new ObjectCount(this.objects, this.countedAtNanos, now);
	}

	/**
	 * Whether it is time to ask again.
	 * @param period how long a count needs no other
	 * @param now the monotonic clock in nanoseconds
	 * @return whether it is
	 */
	public boolean isDue(Duration period, long now) {
		return now - this.askedAtNanos >= period.toNanos();
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
