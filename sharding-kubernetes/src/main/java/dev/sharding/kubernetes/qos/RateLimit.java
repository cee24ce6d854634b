package dev.sharding.kubernetes.qos;

/**
 * A limit that a bucket keeps: its reservations say how long to wait.
 */
final class RateLimit implements Limiter {

	private final TokenBucketRateLimiter bucket;

	private final Runnable forget;

	/**
	 * Creates a limit.
	 * @param bucket its time-out is how long a request may wait
	 * @param forget takes the bucket out of its registry
	 */
	RateLimit(TokenBucketRateLimiter bucket, Runnable forget) {
		this.bucket = bucket;
		this.forget = forget;
	}

	@Override
	public Turn ask(long cost) {
		int units = (int) Math.min(cost, Integer.MAX_VALUE);
		TokenBucketRateLimiter.Booking booking = this.bucket.book(units);
		return (booking.waitNanos() < 0)
				? TimedTurn.refused(this.bucket.retryAfter(units), () -> this.bucket.rejected(units))
				: TimedTurn.after(booking.waitNanos(), () -> this.bucket.giveBack(units, booking),
						() -> this.bucket.permitted(units));
	}

	@Override
	public void holdFor(long nanos) {
		this.bucket.holdFor(nanos);
	}

	@Override
	public boolean isIdle() {
		return this.bucket.isFull();
	}

	@Override
	public void retire() {
		this.forget.run();
	}

	TokenBucketRateLimiter bucket() {
		return this.bucket;
	}

}
