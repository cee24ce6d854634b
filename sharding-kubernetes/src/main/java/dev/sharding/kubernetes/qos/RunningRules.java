package dev.sharding.kubernetes.qos;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

import dev.sharding.core.qos.QosClass;
import dev.sharding.core.qos.QosRule;
import dev.sharding.core.qos.QosRules;
import dev.sharding.core.qos.RingShare;
import io.github.resilience4j.bulkhead.BulkheadConfig;
import io.github.resilience4j.bulkhead.BulkheadRegistry;
import io.github.resilience4j.ratelimiter.RateLimiter;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import io.github.resilience4j.ratelimiter.RateLimiterRegistry;

/**
 * The limits of one set of rules, made when they are first needed. A set that was
 * replaced keeps the turns that it gave; a limit that is the same in both sets goes on as
 * it is, so that a change elsewhere gives nobody a new burst.
 */
final class RunningRules {

	/* More groups than this share one limit, so that callers cannot fill the memory. */
	private static final int GROUPS = 1_000;

	private final QosRules rules;

	private final int shards;

	private final RateLimiterRegistry rateLimiters;

	private final BulkheadRegistry bulkheads;

	private final LongSupplier nanoTime;

	private final Map<Key, Limiter> limiters = new ConcurrentHashMap<>();

	RunningRules(QosRules rules, int shards, RateLimiterRegistry rateLimiters, BulkheadRegistry bulkheads,
			LongSupplier nanoTime) {
		this.rules = rules;
		this.shards = shards;
		this.rateLimiters = rateLimiters;
		this.bulkheads = bulkheads;
		this.nanoTime = nanoTime;
	}

	QosRules rules() {
		return this.rules;
	}

	int shards() {
		return this.shards;
	}

	/** Returns the set that follows; limits that did not change come along. */
	RunningRules next(QosRules changed, int shardsNow) {
		RunningRules next = new RunningRules(changed, shardsNow, this.rateLimiters, this.bulkheads, this.nanoTime);
		Map<String, Limit> kept = new ConcurrentHashMap<>();
		changed.rules().forEach((rule) -> kept.put(rule.name(), next.limitOf(rule)));
		this.limiters.forEach((key, limiter) -> {
			if (key.limit.equals(kept.get(key.rule))) {
				next.limiters.put(key, limiter);
			}
			else {
				limiter.retire();
			}
		});
		return next;
	}

	Limiter limiter(QosRule rule, String group) {
		Key key = new Key(rule.name(), (this.limiters.size() < GROUPS) ? group : "", limitOf(rule));
		Limiter known = this.limiters.get(key);
		return (known != null) ? known : this.limiters.computeIfAbsent(key, this::create);
	}

	private Limit limitOf(QosRule rule) {
		QosClass shared = this.rules.classOf(rule);
		return new Limit(rule.ringWide() ? RingShare.of(shared, this.shards) : shared, rule.longestWait());
	}

	private Limiter create(Key key) {
		String name = "qos-" + key.rule + (key.group.isEmpty() ? "" : "-" + key.group);
		Duration wait = key.limit.longestWait;
		QosClass qosClass = key.limit.qosClass;
		if (qosClass instanceof QosClass.RunningWindow window) {
			return new WindowLimit(window, wait, this.nanoTime);
		}
		if (qosClass instanceof QosClass.MaxInFlight flights) {
			this.bulkheads.remove(name);
			return new FlightLimit(this.bulkheads.bulkhead(name,
					BulkheadConfig.custom().maxConcurrentCalls(flights.max()).maxWaitDuration(Duration.ZERO).build()),
					wait, () -> this.bulkheads.remove(name));
		}
		this.rateLimiters.remove(name);
		return new RateLimit(rateLimiter(name, qosClass, wait), () -> this.rateLimiters.remove(name));
	}

	private RateLimiter rateLimiter(String name, QosClass qosClass, Duration wait) {
		if (qosClass instanceof QosClass.LeakyBucket bucket) {
			Duration interval = Duration.ofNanos((long) Math.ceil(1e9 / bucket.qps()));
			Duration queue = interval.multipliedBy(bucket.queue());
			return this.rateLimiters.rateLimiter(name,
					RateLimiterConfig.custom()
						.limitForPeriod(1)
						.limitRefreshPeriod(interval)
						.timeoutDuration((wait.compareTo(queue) < 0) ? wait : queue)
						.build());
		}
		RateLimiter limiter = new TokenBucketRateLimiter(name, (QosClass.TokenBucket) qosClass, wait, this.nanoTime);
		this.rateLimiters.rateLimiter(name, limiter.getRateLimiterConfig());
		this.rateLimiters.replace(name, limiter);
		return limiter;
	}

	/** What makes two limits the same. */
	private record Limit(QosClass qosClass, Duration longestWait) {
	}

	private record Key(String rule, String group, Limit limit) {
	}

}
