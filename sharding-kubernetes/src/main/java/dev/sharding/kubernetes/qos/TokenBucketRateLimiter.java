package dev.sharding.kubernetes.qos;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;

import dev.sharding.core.qos.Admission;
import dev.sharding.core.qos.QosClass.TokenBucket;
import dev.sharding.core.qos.TokenBucketState;
import org.jspecify.annotations.Nullable;

/**
 * A token bucket behind Resilience4j's interface, since its own limiter works in fixed
 * cycles: at the border of two cycles it lets twice its limit through, also with a limit
 * of 1, so that two requests of a leaky bucket could go at once. Safe for many threads.
 */
final class TokenBucketRateLimiter extends ReservingRateLimiter {

	private final TokenBucket limit;

	private final LongSupplier nanoTime;

	private final AtomicReference<TokenBucketState> state;

	/* Who goes on from this one's state, and so must know what holds this one back. */
	private volatile @Nullable TokenBucketRateLimiter successor;

	TokenBucketRateLimiter(String name, TokenBucket limit, Duration longestWait, LongSupplier nanoTime,
			@Nullable TokenBucketRateLimiter before) {
		super(name, limit.burst(), Duration.ofNanos((long) Math.max(1, limit.burst() * 1e9 / limit.qps())),
				longestWait);
		this.limit = limit;
		this.nanoTime = nanoTime;
		this.state = new AtomicReference<>((before != null) ? before.state(limit, nanoTime.getAsLong())
				: TokenBucketState.full(nanoTime.getAsLong()));
		if (before != null) {
			before.successor = this;
		}
	}

	private TokenBucketState state(TokenBucket after, long now) {
		return this.state.get().changed(this.limit, after, now);
	}

	@Override
	public long reservePermission(int permits) {
		long wait = book(permits).waitNanos();
		announce(permits, wait >= 0);
		return wait;
	}

	/**
	 * As {@link #reservePermission(int)}, with the moment at which the wait is over, and
	 * tells nobody.
	 */
	Booking book(int permits) {
		long longest = longestWaitNanos();
		while (true) {
			TokenBucketState before = this.state.get();
			long now = this.nanoTime.getAsLong();
			Admission<TokenBucketState> answer = before.reserve(this.limit, permits, now, longest);
			if (!(answer instanceof Admission.Granted<TokenBucketState> granted)) {
				return new Booking(-1, now);
			}
			if (this.state.compareAndSet(before, granted.next())) {
				return new Booking(granted.waitNanos(), now + granted.waitNanos());
			}
		}
	}

	/** How long a request for so many units would have to wait now. */
	long retryAfter(int permits) {
		Admission<TokenBucketState> answer = this.state.get()
			.reserve(this.limit, permits, this.nanoTime.getAsLong(), Long.MAX_VALUE);
		return (answer instanceof Admission.Granted<TokenBucketState> granted) ? Math.max(1, granted.waitNanos()) : 1;
	}

	/**
	 * Gives back what was booked with a wait that is not over. Whoever goes on from this
	 * one's state counts in times of his own, and does without.
	 */
	void giveBack(int permits, Booking booking) {
		update((before) -> before.giveBack(this.limit, permits, booking.dueNanos()));
	}

	boolean isFull() {
		return this.state.get().isFull(this.nanoTime.getAsLong());
	}

	void holdFor(long nanos) {
		update((before) -> before.holdUntil(this.limit, this.nanoTime.getAsLong() + nanos));
		TokenBucketRateLimiter next = this.successor;
		if (next != null) {
			next.holdFor(nanos);
		}
	}

	@Override
	public void drainPermissions() {
		long now = this.nanoTime.getAsLong();
		update((before) -> before.holdUntil(this.limit, now + (long) (1e9 / this.limit.qps())));
	}

	/* What is missing until the bucket is full, at the rate; a debt is below zero. */
	@Override
	long available() {
		long missing = this.state.get().fullAtNanos() - this.nanoTime.getAsLong();
		double tokens = this.limit.burst() - Math.max(0, missing) * this.limit.qps() / 1e9;
		return (long) Math.floor(tokens + 1e-6);
	}

	private void update(UnaryOperator<TokenBucketState> change) {
		this.state.updateAndGet(change);
	}

	/**
	 * What a request was given.
	 *
	 * @param waitNanos how long it waits, negative if it is refused
	 * @param dueNanos when it may go, on the clock of the limiter
	 */
	record Booking(long waitNanos, long dueNanos) {
	}

}
