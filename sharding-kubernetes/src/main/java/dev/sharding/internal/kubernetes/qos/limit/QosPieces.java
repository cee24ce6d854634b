package dev.sharding.internal.kubernetes.qos.limit;

import java.util.function.LongSupplier;

import dev.sharding.qos.spi.AccountingGroups;
import dev.sharding.qos.spi.Aggregation;
import dev.sharding.qos.spi.CostFunction;
import dev.sharding.qos.spi.Limits;
import dev.sharding.qos.spi.Selector;
import io.github.resilience4j.bulkhead.BulkheadRegistry;
import io.github.resilience4j.ratelimiter.RateLimiterRegistry;

/**
 * What a limit is made of. Each piece can be replaced by itself; all must be safe for
 * many threads, and what they throw ends the request that they were asked for.
 *
 * @param selector which requests a rule is about
 * @param cost what a request takes from the limit
 * @param accounting who shares it
 * @param aggregation how costs add up over time
 * @param limits how much it is
 */
public record QosPieces(Selector selector, CostFunction cost, AccountingGroups accounting, Aggregation aggregation,
		Limits limits) {

	/**
	 * Returns the pieces that do as the rules say.
	 * @param rateLimiters where rate limiters are registered, as {@code qos-<rule>}, that
	 * of a group as {@code qos-<rule>:<group>}
	 * @param bulkheads where bulkheads are registered, as {@code qos-<rule>}, that of a
	 * group as {@code qos-<rule>:<group>}
	 * @param nanoTime the monotonic clock in nanoseconds
	 * @return the pieces
	 */
	public static QosPieces standard(RateLimiterRegistry rateLimiters, BulkheadRegistry bulkheads,
			LongSupplier nanoTime) {
		return new QosPieces(Selector.STANDARD, CostFunction.STANDARD, AccountingGroups.STANDARD,
				aggregation(rateLimiters, bulkheads, nanoTime), Limits.STANDARD);
	}

	/**
	 * Returns the aggregation that knows all classes.
	 * @param rateLimiters where rate limiters are registered
	 * @param bulkheads where bulkheads are registered
	 * @param nanoTime the monotonic clock in nanoseconds
	 * @return the aggregation
	 */
	public static Aggregation aggregation(RateLimiterRegistry rateLimiters, BulkheadRegistry bulkheads,
			LongSupplier nanoTime) {
		return new StandardAggregation(rateLimiters, bulkheads, nanoTime);
	}

}
