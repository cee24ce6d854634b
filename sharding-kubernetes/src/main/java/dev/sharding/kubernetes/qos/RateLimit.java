package dev.sharding.kubernetes.qos;

import io.github.resilience4j.ratelimiter.RateLimiter;

/**
 * A limit that a Resilience4j rate limiter keeps: its reservations say how long to wait.
 */
final class RateLimit implements Limiter {

	private final RateLimiter limiter;

	private final Runnable forget;

	/**
	 * Creates a limit.
	 * @param limiter its time-out is how long a request may wait
	 * @param forget takes the limiter out of its registry
	 */
	RateLimit(RateLimiter limiter, Runnable forget) {
		this.limiter = limiter;
		this.forget = forget;
	}

	@Override
	public Turn ask(long cost) {
		if (cost == 0) {
			return TimedTurn.after(0, () -> {
			});
		}
		int units = (int) Math.min(cost, Integer.MAX_VALUE);
		long wait = this.limiter.reservePermission(units);
		if (wait < 0) {
			return TimedTurn.refused((this.limiter instanceof TokenBucketRateLimiter bucket) ? bucket.retryAfter(units)
					: this.limiter.getRateLimiterConfig().getTimeoutDuration().toNanos()
							+ this.limiter.getRateLimiterConfig().getLimitRefreshPeriod().toNanos());
		}
		return TimedTurn.after(wait, () -> giveBack(units));
	}

	@Override
	public void holdFor(long nanos) {
		if (this.limiter instanceof TokenBucketRateLimiter bucket) {
			bucket.holdFor(nanos);
		}
	}

	@Override
	public void retire() {
		this.forget.run();
	}

	/*
	 * A reservation of Resilience4j's own limiter cannot be returned: its slot passes
	 * unused.
	 */
	private void giveBack(int units) {
		if (this.limiter instanceof TokenBucketRateLimiter bucket) {
			bucket.giveBack(units);
		}
	}

}
