package dev.sharding.kubernetes.qos;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;

import dev.sharding.core.qos.Accounting;
import dev.sharding.core.qos.Caller;
import dev.sharding.core.qos.Condition;
import dev.sharding.core.qos.Cost;
import dev.sharding.core.qos.InvalidQosException;
import dev.sharding.core.qos.Measure;
import dev.sharding.core.qos.Operation;
import dev.sharding.core.qos.QosClass;
import dev.sharding.core.qos.QosRule;
import dev.sharding.core.qos.QosRules;
import dev.sharding.core.qos.Subject;
import dev.sharding.kubernetes.rest.ApiException;
import dev.sharding.kubernetes.rest.ApiRequest;
import dev.sharding.kubernetes.rest.RequestThrottle.Passage;
import io.github.resilience4j.bulkhead.BulkheadRegistry;
import io.github.resilience4j.ratelimiter.RateLimiterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class QosTests {

	private static final ApiRequest LIST = ApiRequest.of("GET", "/api/v1/pods");

	private long nanos = 1_000;

	private final RateLimiterRegistry rateLimiters = RateLimiterRegistry.ofDefaults();

	private final BulkheadRegistry bulkheads = BulkheadRegistry.ofDefaults();

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	@Test
	void firstRequestOfAShapeIsNeverLimited() {
		Qos qos = qos(rule(new Condition(Measure.LATENCY, 100)));
		Passage first = enter(qos, LIST);
		this.nanos += 1_000_000_000;
		first.ended(null, null);
		assertThat(enter(qos, LIST).admitted()).isCompleted();
		assertRefused(qos, LIST);
		assertThat(enter(qos, ApiRequest.of("GET", "/api/v1/pods").query("labelSelector", "a=b")).admitted())
			.isCompleted();
		assertThat(qos.counts()).containsExactly(new RuleCounts("rule", 2, 0, 1));
	}

	@Test
	void refusalSaysWhichRuleAndWhenToComeBack() {
		Qos qos = qos(rule());
		enter(qos, LIST);
		assertThat(enter(qos, LIST).admitted().handle((admitted, failure) -> failure).join())
			.isInstanceOf(CompletionException.class)
			.cause()
			.isInstanceOfSatisfying(QosLimitedException.class, (ex) -> {
				assertThat(ex.rule()).isEqualTo("rule");
				assertThat(ex.retryAfter()).isEqualTo(Duration.ofSeconds(1));
				assertThat(ex).hasMessageContaining("limited by QoS rule 'rule', try again in 1000 ms");
			});
	}

	@Test
	void leasesDiscoveryAndProbesAreExempt() {
		Qos qos = qos(rule());
		assertThat(qos.enter(ApiRequest.of("GET", "/apis/coordination.k8s.io/v1/namespaces/a/leases/b"), false))
			.isNull();
		assertThat(qos.enter(ApiRequest.of("GET", "/readyz"), false)).isNull();
		assertThat(qos.enter(ApiRequest.of("GET", "/apis/apps/v1"), false)).isNull();
	}

	@Test
	void changeOfAnotherRuleGivesNobodyANewBurst() {
		Qos qos = qos(rule());
		enter(qos, LIST);
		qos.change((before) -> QosRules.define(before.classes(), List.of(rule(), other("other"))));
		assertRefused(qos, LIST);
		assertThat(this.rateLimiters.find("qos-rule")).isPresent();
		qos.change((before) -> QosRules.define(Map.of("class", new QosClass.TokenBucket(1, 5)), List.of(rule())));
		assertThat(enter(qos, LIST).admitted()).isCompleted();
		qos.change((before) -> QosRules.NONE);
		assertThat(this.rateLimiters.find("qos-rule")).isEmpty();
	}

	@Test
	void refusedChangeLeavesWhatIsInForce() {
		Qos qos = qos(rule());
		QosRules before = qos.rules();
		assertThatExceptionOfType(InvalidQosException.class)
			.isThrownBy(() -> qos.change((rules) -> QosRules.define(Map.of(), rules.rules())))
			.withMessageContaining("'class', which is not defined");
		assertThat(qos.rules()).isSameAs(before);
		enter(qos, LIST);
		assertRefused(qos, LIST);
	}

	@Test
	void limitOfTheRingIsDivided() {
		QosRule shared = new QosRule("rule", true, 1, List.of(), List.of(), Set.of(), List.of(), "class", Cost.REQUESTS,
				Accounting.RULE, true, Duration.ofHours(1));
		Qos qos = new Qos(QosRules.define(Map.of("class", new QosClass.TokenBucket(4, 1)), List.of(shared)),
				QosOptions.DEFAULTS, this.rateLimiters, this.bulkheads, this.meters, () -> Instant.EPOCH, this::nanos);
		qos.shards(4);
		assertThat(enter(qos, LIST).admitted()).isCompleted();
		assertThat(enter(qos, LIST).admitted()).isNotDone();
		assertThat(this.rateLimiters.rateLimiter("qos-rule").getRateLimiterConfig().getLimitRefreshPeriod())
			.isEqualTo(Duration.ofSeconds(1));
	}

	@Test
	void accountsToTheControllerOfTheLoggingContext() {
		QosRule rule = new QosRule("rule", true, 1, List.of(new Subject(Subject.Kind.CONTROLLER, "greedy")), List.of(),
				Set.of(), List.of(), "class", Cost.REQUESTS, Accounting.SUBJECT, false, Duration.ZERO);
		Qos qos = qos(rule);
		qos.identify(new Caller("", "", "user", "shard"));
		try (MDC.MDCCloseable ignored = MDC.putCloseable("controller", "greedy")) {
			enter(qos, LIST);
			assertRefused(qos, LIST);
		}
		assertThat(enter(qos, LIST).admitted()).isCompleted();
	}

	@Test
	void serverThatAsksForAPauseGetsIt() {
		Qos qos = new Qos(QosRules.define(Map.of("class", new QosClass.TokenBucket(1_000, 1_000)), List.of(rule())),
				QosOptions.DEFAULTS, this.rateLimiters, this.bulkheads, this.meters, () -> Instant.EPOCH, this::nanos);
		enter(qos, LIST).ended(null,
				new ApiException(429, "TooManyRequests", Duration.ofSeconds(3), "too many requests", null));
		assertRefused(qos, LIST);
		this.nanos += 3_000_000_000L;
		assertThat(enter(qos, LIST).admitted()).isCompleted();
		assertThat(this.meters.get("sharding.qos.server.pressure").gauge().value()).isPositive();
	}

	@Test
	void storageCountsOnlyWhileItsReadingIsFresh() {
		QosOptions options = new QosOptions(10, 10, 1_000, Duration.ofSeconds(30));
		Qos qos = new Qos(
				QosRules.define(Map.of("class", new QosClass.TokenBucket(1, 1)),
						List.of(rule(new Condition(Measure.STORAGE_USED, 0.9)))),
				options, this.rateLimiters, this.bulkheads, this.meters, () -> Instant.EPOCH, this::nanos);
		assertThat(limitedTwice(qos)).isFalse();
		qos.serverMetrics("""
				# TYPE apiserver_storage_size_bytes gauge
				apiserver_storage_size_bytes{storage_cluster_id="etcd-0"} 9.5e+02
				""");
		assertThat(limitedTwice(qos)).isTrue();
		this.nanos += Duration.ofSeconds(91).toNanos();
		assertThat(limitedTwice(qos)).isFalse();
	}

	@Test
	void monitorShowsWhatWasLimitedAndWhatWasSlow() throws InterruptedException {
		Qos qos = qos(rule());
		Passage slow = enter(qos, LIST);
		this.nanos += 2_000_000_000;
		slow.ended(null, null);
		enter(qos, LIST).ended(null, null);
		assertRefused(qos, LIST);
		assertThat(qos.monitor().since(Measure.LATENCY, 1_500, 10, 0, Duration.ZERO)).singleElement()
			.satisfies((seen) -> assertThat(seen.latencyMillis()).isEqualTo(2_000));
		assertThat(qos.monitor().since(null, 0, 10, 0, Duration.ZERO)).singleElement().satisfies((seen) -> {
			assertThat(seen.rule()).isEqualTo("rule");
			assertThat(seen.rejected()).isTrue();
		});
		assertThat(qos.monitor().since(null, 0, 10, 2, Duration.ofMillis(1))).isEmpty();
	}

	private boolean limitedTwice(Qos qos) {
		enter(qos, LIST).ended(null, null);
		return enter(qos, LIST).admitted().isCompletedExceptionally();
	}

	private void assertRefused(Qos qos, ApiRequest request) {
		Passage passage = enter(qos, request);
		Throwable failure = passage.admitted().handle((admitted, refusal) -> refusal).join();
		assertThat(failure).isNotNull();
		assertThat(failure.getCause()).isInstanceOf(QosLimitedException.class);
		passage.ended(null, failure.getCause());
	}

	private static Passage enter(Qos qos, ApiRequest request) {
		@Nullable Passage passage = qos.enter(request, false);
		assertThat(passage).isNotNull();
		return passage;
	}

	private Qos qos(QosRule rule) {
		return new Qos(QosRules.define(Map.of("class", new QosClass.TokenBucket(1, 1)), List.of(rule)),
				QosOptions.DEFAULTS, this.rateLimiters, this.bulkheads, this.meters, () -> Instant.EPOCH, this::nanos);
	}

	private static QosRule rule(Condition... conditions) {
		return new QosRule("rule", true, 1, List.of(), List.of(), Set.of(), List.of(conditions), "class", Cost.REQUESTS,
				Accounting.RULE, false, Duration.ZERO);
	}

	private static QosRule other(String name) {
		return new QosRule(name, true, 2, List.of(), List.of(), Set.of(Operation.WATCH), List.of(), "class",
				Cost.REQUESTS, Accounting.RULE, false, Duration.ZERO);
	}

	private long nanos() {
		return this.nanos;
	}

}
