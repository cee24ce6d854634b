package dev.sharding.kubernetes.qos;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;

import dev.sharding.core.qos.Admission;
import dev.sharding.core.qos.QosClass.TokenBucket;
import dev.sharding.core.qos.TokenBucketState;
import io.github.resilience4j.ratelimiter.RateLimiter;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import io.github.resilience4j.ratelimiter.event.RateLimiterOnFailureEvent;
import io.github.resilience4j.ratelimiter.event.RateLimiterOnSuccessEvent;
import io.github.resilience4j.ratelimiter.internal.RateLimiterEventProcessor;
import org.jspecify.annotations.Nullable;

/**
 * A token bucket behind Resilience4j's interface, since its own limiter works in fixed
 * cycles: at the border of two cycles it lets twice its limit through, also with a limit
 * of 1, so that two requests of a leaky bucket could go at once. Registries, metrics and
 * events work as with its own. Safe for many threads.
 */
final class TokenBucketRateLimiter implements RateLimiter {

	private final String name;

	private final TokenBucket limit;

	private final LongSupplier nanoTime;

	private final AtomicReference<TokenBucketState> state;

	private final RateLimiterEventProcessor events = new RateLimiterEventProcessor();

	private volatile RateLimiterConfig config;

	/* Who goes on from this one's state, and so must know what holds this one back. */
	private volatile @Nullable TokenBucketRateLimiter successor;

	TokenBucketRateLimiter(String name, TokenBucket limit, Duration longestWait, LongSupplier nanoTime,
			@Nullable TokenBucketRateLimiter before) {
		this.name = name;
		this.limit = limit;
		this.nanoTime = nanoTime;
		this.state = new AtomicReference<>((before != null) ? before.state(limit, nanoTime.getAsLong())
				: TokenBucketState.full(nanoTime.getAsLong()));
		this.config = RateLimiterConfig.custom()
			.limitForPeriod((int) Math.min(Integer.MAX_VALUE, limit.burst()))
			.limitRefreshPeriod(Duration.ofNanos((long) Math.max(1, limit.burst() * 1e9 / limit.qps())))
			.timeoutDuration(longestWait)
			.build();
		if (before != null) {
			before.successor = this;
		}
	}

	private TokenBucketState state(TokenBucket after, long now) {
		return this.state.get().changed(this.limit, after, now);
	}

	@Override
	public long reservePermission(int permits) {
		return book(permits).waitNanos();
	}

	/** As {@link #reservePermission(int)}, with the moment at which the wait is over. */
	Booking book(int permits) {
		long longest = this.config.getTimeoutDuration().toNanos();
		while (true) {
			TokenBucketState before = this.state.get();
			long now = this.nanoTime.getAsLong();
			Admission<TokenBucketState> answer = before.reserve(this.limit, permits, now, longest);
			if (!(answer instanceof Admission.Granted<TokenBucketState> granted)) {
				this.events.consumeEvent(new RateLimiterOnFailureEvent(this.name, permits));
				return new Booking(-1, now);
			}
			if (this.state.compareAndSet(before, granted.next())) {
				this.events.consumeEvent(new RateLimiterOnSuccessEvent(this.name, permits));
				return new Booking(granted.waitNanos(), now + granted.waitNanos());
			}
		}
	}

	@Override
	public boolean acquirePermission(int permits) {
		long wait = reservePermission(permits);
		if (wait < 0) {
			return false;
		}
		long end = System.nanoTime() + wait;
		for (long left = wait; left > 0; left = end - System.nanoTime()) {
			LockSupport.parkNanos(this, left);
			if (Thread.currentThread().isInterrupted()) {
				return false;
			}
		}
		return true;
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

	@Override
	public void changeTimeoutDuration(Duration timeout) {
		this.config = RateLimiterConfig.from(this.config).timeoutDuration(timeout).build();
	}

	@Override
	public void changeLimitForPeriod(int limitForPeriod) {
		throw new UnsupportedOperationException(
				"The rate of '%s' is that of its QoS class: update the class".formatted(this.name));
	}

	@Override
	public String getName() {
		return this.name;
	}

	@Override
	public RateLimiterConfig getRateLimiterConfig() {
		return this.config;
	}

	@Override
	public Map<String, String> getTags() {
		return Map.of();
	}

	@Override
	public EventPublisher getEventPublisher() {
		return this.events;
	}

	@Override
	public Metrics getMetrics() {
		return new Metrics() {

			@Override
			public int getNumberOfWaitingThreads() {
				return 0;
			}

			@Override
			public int getAvailablePermissions() {
				return available();
			}

		};
	}

	/* What is missing until the bucket is full, at the rate; a debt is below zero. */
	private int available() {
		long missing = this.state.get().fullAtNanos() - this.nanoTime.getAsLong();
		double tokens = this.limit.burst() - Math.max(0, missing) * this.limit.qps() / 1e9;
		return (int) Math.max(Integer.MIN_VALUE, Math.min(Integer.MAX_VALUE, Math.floor(tokens + 1e-6)));
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
