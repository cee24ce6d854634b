package dev.sharding.qos.spi;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * The fourth piece of a limit: how costs add up over time.
 */
@FunctionalInterface
public interface Aggregation {

	/**
	 * Puts a limit in force.
	 * @param name unique among the limits in force, for registries and metrics
	 * @param limit the class
	 * @param longestWait how long a request may wait, zero for not at all
	 * @param before the limiter that this one follows, as its rule, its class or the
	 * number of shards has changed; {@code null} for the first
	 * @return the limiter
	 */
	Limiter limiter(String name, QosClass limit, Duration longestWait, @Nullable Limiter before);

}
