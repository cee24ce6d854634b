package dev.sharding.benchmarks.qos;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.sharding.internal.kubernetes.qos.Qos;
import dev.sharding.internal.kubernetes.qos.QosOptions;
import dev.sharding.internal.kubernetes.qos.limit.QosPieces;
import dev.sharding.qos.spi.Accounting;
import dev.sharding.qos.spi.Cost;
import dev.sharding.qos.spi.Operation;
import dev.sharding.qos.spi.PathPrefix;
import dev.sharding.qos.spi.QosClass;
import dev.sharding.qos.spi.QosRule;
import dev.sharding.qos.spi.QosRules;
import io.github.resilience4j.bulkhead.BulkheadRegistry;
import io.github.resilience4j.ratelimiter.RateLimiterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

/** Rules to measure. */
final class BenchRules {

	private BenchRules() {
	}

	static Qos qos(QosRules rules) {
		return new Qos(rules, QosOptions.DEFAULTS,
				QosPieces.standard(RateLimiterRegistry.ofDefaults(), BulkheadRegistry.ofDefaults(), System::nanoTime),
				new SimpleMeterRegistry(), InstantSource.system(), System::nanoTime);
	}

	/** All lists share one limit, and wait as long as they must. */
	static QosRules lists(QosClass limit, Cost cost) {
		return QosRules.define(Map.of("class", limit), List.of(rule("lists", 1, "/", Operation.LIST, cost)));
	}

	/** All lists share so many objects a second, and wait as long as they must. */
	static QosRules objects(double perSecond) {
		return lists(new QosClass.TokenBucket(perSecond, 1), Cost.ITEMS);
	}

	static QosRule rule(String name, int priority, String path, Operation operation) {
		return rule(name, priority, path, operation, Cost.REQUESTS);
	}

	private static QosRule rule(String name, int priority, String path, Operation operation, Cost cost) {
		return new QosRule(name, true, priority, List.of(), List.of(PathPrefix.parse(path)), Set.of(operation),
				List.of(), "class", cost, Accounting.RULE, false, "", Duration.ofHours(1));
	}

}
