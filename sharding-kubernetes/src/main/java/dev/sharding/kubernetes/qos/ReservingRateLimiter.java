package dev.sharding.kubernetes.qos;

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
abstract class ReservingRateLimiter implements RateLimiter {

	private final String name;

	private final RateLimiterEventProcessor events = new RateLimiterEventProcessor();

	private volatile RateLimiterConfig config;

	ReservingRateLimiter(String name, long limit, Duration period, Duration longestWait) {
		this.name = name;
		this.config = RateLimiterConfig.custom()
			.limitForPeriod((int) Math.min(Integer.MAX_VALUE, limit))
			.limitRefreshPeriod(period)
			.timeoutDuration(longestWait)
			.build();
	}

	/** How many units could go now; a debt is below zero. */
	abstract long available();

	final long longestWaitNanos() {
		return this.config.getTimeoutDuration().toNanos();
	}

	final void announce(long units, boolean granted) {
		if (granted) {
			permitted(units);
		}
		else {
			rejected(units);
		}
	}

	final void permitted(long units) {
		this.events.consumeEvent(new RateLimiterOnSuccessEvent(this.name, clamp(units)));
	}

	final void rejected(long units) {
		this.events.consumeEvent(new RateLimiterOnFailureEvent(this.name, clamp(units)));
	}

	private static int clamp(long units) {
		return (int) Math.max(Integer.MIN_VALUE, Math.min(Integer.MAX_VALUE, units));
	}

	@Override
	public final boolean acquirePermission(int permits) {
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
	public final void changeTimeoutDuration(Duration timeout) {
		this.config = RateLimiterConfig.from(this.config).timeoutDuration(timeout).build();
	}

	@Override
	public final void changeLimitForPeriod(int limitForPeriod) {
		throw new UnsupportedOperationException(
				"The rate of '%s' is that of its QoS class: update the class".formatted(this.name));
	}

	@Override
	public final String getName() {
		return this.name;
	}

	@Override
	public final RateLimiterConfig getRateLimiterConfig() {
		return this.config;
	}

	@Override
	public final Map<String, String> getTags() {
		return Map.of();
	}

	@Override
	public final EventPublisher getEventPublisher() {
		return this.events;
	}

	@Override
	public final Metrics getMetrics() {
		return new Metrics() {

			@Override
			public int getNumberOfWaitingThreads() {
				return 0;
			}

			@Override
			public int getAvailablePermissions() {
				return clamp(available());
			}

		};
	}

}
