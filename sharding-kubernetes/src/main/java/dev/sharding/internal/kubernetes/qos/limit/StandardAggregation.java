package dev.sharding.internal.kubernetes.qos.limit;

import java.time.Duration;
import java.util.function.LongSupplier;

import dev.sharding.qos.spi.Aggregation;
import dev.sharding.qos.spi.Limiter;
import dev.sharding.qos.spi.QosClass;
import io.github.resilience4j.bulkhead.BulkheadRegistry;
import io.github.resilience4j.ratelimiter.RateLimiterRegistry;
import org.jspecify.annotations.Nullable;

/**
 * Token and leaky buckets, running windows and flights. What a limit has given stays
 * given when another one of its kind follows it.
 */
final class StandardAggregation implements Aggregation {

	private final RateLimiterRegistry rateLimiters;

	private final BulkheadRegistry bulkheads;

	private final LongSupplier nanoTime;

	StandardAggregation(RateLimiterRegistry rateLimiters, BulkheadRegistry bulkheads, LongSupplier nanoTime) {
		this.rateLimiters = rateLimiters;
		this.bulkheads = bulkheads;
		this.nanoTime = nanoTime;
	}

	@Override
	public Limiter limiter(String name, QosClass limit, Duration longestWait, @Nullable Limiter before) {
		if (limit instanceof QosClass.RunningWindow window) {
			WindowLimit made = new WindowLimit(name, window, longestWait, () -> this.rateLimiters.remove(name),
					this.nanoTime, (before instanceof WindowLimit same) ? same : null);
			register(made.published());
			return made;
		}
		if (limit instanceof QosClass.MaxInFlight flights) {
			FlightBulkhead bulkhead = new FlightBulkhead(name, flights.max());
			this.bulkheads.remove(name);
			this.bulkheads.bulkhead(name, bulkhead.getBulkheadConfig());
			this.bulkheads.replace(name, bulkhead);
			return new FlightLimit(bulkhead, longestWait, () -> this.bulkheads.remove(name), this.nanoTime,
					FlightLimit.ALARMS, (before instanceof FlightLimit same) ? same : null);
		}
		if (limit instanceof QosClass.LeakyBucket bucket) {
			return bucket(name, bucket.asTokenBucket(), bucket.longestWait(longestWait), before);
		}
		return bucket(name, (QosClass.TokenBucket) limit, longestWait, before);
	}

	private Limiter bucket(String name, QosClass.TokenBucket bucket, Duration longestWait, @Nullable Limiter before) {
		BucketLimit made = new BucketLimit(name, bucket, longestWait, () -> this.rateLimiters.remove(name),
				this.nanoTime, (before instanceof BucketLimit same) ? same : null);
		register(made.published());
		return made;
	}

	private void register(ReservingRateLimiter limiter) {
		String name = limiter.getName();
		this.rateLimiters.remove(name);
		this.rateLimiters.rateLimiter(name, limiter.getRateLimiterConfig());
		this.rateLimiters.replace(name, limiter);
	}

}
