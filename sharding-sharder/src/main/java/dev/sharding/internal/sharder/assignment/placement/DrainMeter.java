package dev.sharding.internal.sharder.assignment.placement;

import dev.sharding.internal.core.qos.Admission;
import dev.sharding.internal.core.qos.TokenBucketState;
import dev.sharding.qos.spi.QosClass.TokenBucket;
import org.jspecify.annotations.Nullable;

/**
 * Says whether the budget of a ring allows another drain. A pause makes up for a few
 * drains at most, so they come evenly. Lives on the ring's thread.
 */
public final class DrainMeter {

	private static final double BURST_SECONDS = 0.1;

	/* It is not asked at the very moment: without a second one, that time is lost. */
	private static final long LEAST_BURST = 2;

	private final @Nullable TokenBucket limit;

	private @Nullable TokenBucketState state;

	public DrainMeter(DrainBudget budget) {
		double rate = budget.perSecond();
		this.limit = (rate > 0) ? new TokenBucket(rate, burst(rate)) : null;
	}

	private static long burst(double rate) {
		return (rate < 1) ? 1 : Math.max(LEAST_BURST, (long) (rate * BURST_SECONDS));
	}

	/**
	 * Takes one drain out of the budget.
	 * @param now the monotonic time in nanoseconds
	 * @return whether it may be sent; if not, nothing was taken
	 */
	public boolean take(long now) {
		if (this.limit == null) {
			return true;
		}
		TokenBucketState before = (this.state != null) ? this.state : TokenBucketState.full(now);
		Admission<TokenBucketState> admission = before.reserve(this.limit, 1, now, 0);
		if (admission instanceof Admission.Granted<TokenBucketState> granted) {
			this.state = granted.next();
			return true;
		}
		this.state = before;
		return false;
	}

}
