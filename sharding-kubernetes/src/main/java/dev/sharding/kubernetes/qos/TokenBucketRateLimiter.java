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

/**
 * A token bucket behind Resilience4j's interface, since its own limiter works in fixed
 * cycles: at the border of two cycles it lets twice its limit through. Registries,
 * metrics and events work as with its own. Safe for many threads.
 */
final class TokenBucketRateLimiter implements RateLimiter {

	private final String name;

	private final TokenBucket limit;

	private final LongSupplier nanoTime;

	private final AtomicReference<TokenBucketState> state;

	private final RateLimiterEventProcessor events = new RateLimiterEventProcessor();

	private volatile RateLimiterConfig config;

	TokenBucketRateLimiter(String name, TokenBucket limit, Duration longestWait, LongSupplier nanoTime) {
		this.name = name;
		this.limit = limit;
		this.nanoTime = nanoTime;
		this.state = new AtomicReference<>(TokenBucketState.full(nanoTime.getAsLong()));
		this.config = RateLimiterConfig.custom()
			.limitForPeriod((int) Math.min(Integer.MAX_VALUE, limit.burst()))
			.limitRefreshPeriod(Duration.ofNanos((long) Math.max(1, limit.burst() * 1e9 / limit.qps())))
			.timeoutDuration(longestWait)
			.build();
	}

	@Override
	public long reservePermission(int permits) {
		long longest = this.config.getTimeoutDuration().toNanos();
		while (true) {
			TokenBucketState before = this.state.get();
			Admission<TokenBucketState> answer = before.reserve(this.limit, permits, this.nanoTime.getAsLong(),
					longest);
			if (!(answer instanceof Admission.Granted<TokenBucketState> granted)) {
				this.events.consumeEvent(new RateLimiterOnFailureEvent(this.name, permits));
				return -1;
			}
			if (this.state.compareAndSet(before, granted.next())) {
				this.events.consumeEvent(new RateLimiterOnSuccessEvent(this.name, permits));
				return granted.waitNanos();
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

	void giveBack(int permits) {
		update((before) -> before.giveBack(this.limit, permits));
	}

	void holdFor(long nanos) {
		update((before) -> before.holdUntil(this.limit, this.nanoTime.getAsLong() + nanos));
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

}
