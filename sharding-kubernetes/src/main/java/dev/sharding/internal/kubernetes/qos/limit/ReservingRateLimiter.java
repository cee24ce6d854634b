package dev.sharding.internal.kubernetes.qos.limit;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

import io.github.resilience4j.ratelimiter.RateLimiter;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import io.github.resilience4j.ratelimiter.event.RateLimiterOnFailureEvent;
import io.github.resilience4j.ratelimiter.event.RateLimiterOnSuccessEvent;
import io.github.resilience4j.ratelimiter.internal.RateLimiterEventProcessor;

/**
 * A law of ours behind Resilience4j's interface, so that its registries, metrics and
 * events work as with its own limiter.
 */
final class ReservingRateLimiter implements RateLimiter {

	private final String name;

	private final Reservations reservations;

	private final RateLimiterEventProcessor events = new RateLimiterEventProcessor();

	private volatile RateLimiterConfig config;

	ReservingRateLimiter(String name, long limit, Duration period, Duration longestWait, Reservations reservations) {
		this.name = name;
		this.reservations = reservations;
		this.config = RateLimiterConfig.custom()
			.limitForPeriod((int) Math.min(Integer.MAX_VALUE, limit))
			.limitRefreshPeriod(period)
			.timeoutDuration(longestWait)
			.build();
	}

	long longestWaitNanos() {
		return this.config.getTimeoutDuration().toNanos();
	}

	/** Tells those who listen what a request was answered. */
	void announce(long units, boolean granted) {
		this.events.consumeEvent(granted ? new RateLimiterOnSuccessEvent(this.name, clamp(units))
				: new RateLimiterOnFailureEvent(this.name, clamp(units)));
	}

	private static int clamp(long units) {
		return (int) Math.max(Integer.MIN_VALUE, Math.min(Integer.MAX_VALUE, units));
	}

	@Override
	public long reservePermission(int permits) {
		long wait = this.reservations.reserve(permits, longestWaitNanos());
		announce(permits, wait >= 0);
		return wait;
	}

	@Override
	public void drainPermissions() {
		this.reservations.drain();
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
				return clamp(ReservingRateLimiter.this.reservations.available());
			}

		};
	}

}
