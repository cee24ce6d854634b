package dev.sharding.internal.sharder.assignment.placement;

import java.time.Duration;
import java.util.function.IntUnaryOperator;

/**
 * Says how many requests may be in flight. It begins low, as each may have to open a
 * connection of its own, and grows with each quick answer. Where answers are slow, more
 * requests at a time only wait for each other, and new objects behind them: then it
 * shrinks. While memory is short, there are fewer.
 */
public final class InFlightLimit {

	private static final int LOW = 16;

	private static final long QUICK = Duration.ofMillis(200).toNanos();

	private static final long SLOW = Duration.ofMillis(400).toNanos();

	private final int lowest;

	private final int highest;

	private final IntUnaryOperator atMost;

	private int limit;

	public InFlightLimit(int highest) {
		this(highest, IntUnaryOperator.identity());
	}

	/**
	 * @param atMost says how many may be in flight, at least one, where so many could
	 */
	public InFlightLimit(int highest, IntUnaryOperator atMost) {
		this.atMost = atMost;
		this.highest = highest;
		this.lowest = Math.min(LOW, highest);
		this.limit = this.lowest;
	}

	/** What it never falls below for slow answers. */
	int lowest() {
		return this.atMost.applyAsInt(this.lowest);
	}

	int limit() {
		return this.atMost.applyAsInt(this.limit);
	}

	void answered(long nanos) {
		if (nanos < QUICK) {
			this.limit = Math.min(this.highest, this.limit + 1);
		}
		else if (nanos > SLOW) {
			this.limit = Math.max(this.lowest, this.limit - 1);
		}
	}

}
