package dev.sharding.internal.kubernetes.qos;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.sharding.client.QosLimitedException;
import dev.sharding.client.RequestThrottle.Passage;
import dev.sharding.internal.kubernetes.qos.limit.QosPieces;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.qos.spi.Accounting;
import dev.sharding.qos.spi.Condition;
import dev.sharding.qos.spi.Cost;
import dev.sharding.qos.spi.Operation;
import dev.sharding.qos.spi.QosClass;
import dev.sharding.qos.spi.QosRule;
import dev.sharding.qos.spi.QosRules;
import io.github.resilience4j.bulkhead.BulkheadRegistry;
import io.github.resilience4j.ratelimiter.RateLimiterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a QoS under test needs: a clock that stands, registries, and rules about one
 * class, named {@code class}.
 */
final class QosWorld {

	static final ApiRequest LIST = ApiRequest.of("GET", "/api/v1/pods");

	long nanos = 1_000;

	final RateLimiterRegistry rateLimiters = RateLimiterRegistry.ofDefaults();

	final BulkheadRegistry bulkheads = BulkheadRegistry.ofDefaults();

	final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	static QosLimitedException assertRefused(Qos qos, ApiRequest request) {
		Passage passage = enter(qos, request);
		Throwable failure = passage.admitted().handle((admitted, refusal) -> refusal).join();
		assertThat(failure).isNotNull();
		assertThat(failure.getCause()).isInstanceOf(QosLimitedException.class);
		passage.ended(failure.getCause());
		return (QosLimitedException) failure.getCause();
	}

	static Passage enter(Qos qos, ApiRequest request) {
		@Nullable Passage passage = qos.enter(request);
		assertThat(passage).isNotNull();
		return passage;
	}

	Qos qos(QosRule rule) {
		return qos(rule, new QosClass.TokenBucket(1, 1));
	}

	Qos qos(QosRule rule, QosClass limit) {
		return qos(QosRules.define(Map.of("class", limit), List.of(rule)));
	}

	Qos qos(QosRules rules) {
		return new Qos(rules, QosOptions.DEFAULTS, pieces(), this.meters, () -> Instant.EPOCH, this::nanos);
	}

	static QosRule rule(Condition... conditions) {
		return new QosRule("rule", true, 1, List.of(), List.of(), Set.of(), List.of(conditions), "class", Cost.REQUESTS,
				Accounting.RULE, false, "", Duration.ZERO);
	}

	static QosRule patient(Duration longestWait) {
		return patient(longestWait, Cost.REQUESTS);
	}

	static QosRule patient(Duration longestWait, Cost cost) {
		return new QosRule("rule", true, 1, List.of(), List.of(), Set.of(), List.of(), "class", cost, Accounting.RULE,
				false, "", longestWait);
	}

	static QosRule other(String name) {
		return new QosRule(name, true, 2, List.of(), List.of(), Set.of(Operation.WATCH), List.of(), "class",
				Cost.REQUESTS, Accounting.RULE, false, "", Duration.ZERO);
	}

	QosPieces pieces() {
		return QosPieces.standard(this.rateLimiters, this.bulkheads, this::nanos);
	}

	long nanos() {
		return this.nanos;
	}

}
