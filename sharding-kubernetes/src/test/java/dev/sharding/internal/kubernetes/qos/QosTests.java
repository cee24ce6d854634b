package dev.sharding.internal.kubernetes.qos;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import dev.sharding.client.ApiException;
import dev.sharding.client.NotSentException;
import dev.sharding.client.QosLimitedException;
import dev.sharding.client.RequestThrottle.Passage;
import dev.sharding.internal.core.qos.RingShare;
import dev.sharding.internal.kubernetes.qos.limit.QosPieces;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.qos.spi.Accounting;
import dev.sharding.qos.spi.Caller;
import dev.sharding.qos.spi.Condition;
import dev.sharding.qos.spi.Cost;
import dev.sharding.qos.spi.InvalidQosException;
import dev.sharding.qos.spi.Measure;
import dev.sharding.qos.spi.Operation;
import dev.sharding.qos.spi.QosClass;
import dev.sharding.qos.spi.QosRule;
import dev.sharding.qos.spi.QosRules;
import dev.sharding.qos.spi.Subject;
import io.github.resilience4j.ratelimiter.RateLimiter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.MDC;

import static dev.sharding.internal.kubernetes.qos.QosWorld.LIST;
import static dev.sharding.internal.kubernetes.qos.QosWorld.assertRefused;
import static dev.sharding.internal.kubernetes.qos.QosWorld.enter;
import static dev.sharding.internal.kubernetes.qos.QosWorld.other;
import static dev.sharding.internal.kubernetes.qos.QosWorld.patient;
import static dev.sharding.internal.kubernetes.qos.QosWorld.rule;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class QosTests {

	private static final int SETTLED = RingShare.NEWCOMER_FOR + 1;

	private final QosWorld world = new QosWorld();

	@Test
	void firstRequestOfAShapeIsNeverLimited() {
		Qos qos = this.world.qos(rule(new Condition(Measure.LATENCY, 100)));
		Passage first = enter(qos, LIST);
		this.world.nanos += 1_000_000_000;
		first.ended(null);
		assertThat(enter(qos, LIST).admitted()).isCompleted();
		assertRefused(qos, LIST);
		assertThat(enter(qos, ApiRequest.of("GET", "/api/v1/pods").query("labelSelector", "a=b")).admitted())
			.isCompleted();
		assertThat(qos.counts()).containsExactly(new RuleCounts("rule", 2, 1, 0, 1));
	}

	@Test
	void refusalSaysWhichRuleAndWhenToComeBack() {
		Qos qos = this.world.qos(rule());
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
		Qos qos = this.world.qos(rule());
		assertThat(qos.enter(ApiRequest.of("GET", "/apis/coordination.k8s.io/v1/namespaces/a/leases/b"))).isNull();
		assertThat(qos.enter(ApiRequest.of("GET", "/readyz"))).isNull();
		assertThat(qos.enter(ApiRequest.of("GET", "/apis/apps/v1"))).isNull();
	}

	@Test
	void changeOfAnotherRuleGivesNobodyANewBurst() {
		Qos qos = this.world.qos(rule());
		enter(qos, LIST);
		qos.change((before) -> QosRules.define(before.classes(), List.of(rule(), other("other"))));
		assertRefused(qos, LIST);
		assertThat(this.world.rateLimiters.find("qos-rule")).isPresent();
		qos.change((before) -> QosRules.define(Map.of("class", new QosClass.TokenBucket(1, 5)), List.of(rule())));
		assertThat(enter(qos, LIST).admitted()).isCompleted();
		qos.change((before) -> QosRules.NONE);
		assertThat(this.world.rateLimiters.find("qos-rule")).isEmpty();
	}

	@Test
	void aControllerActsForAUserAndStaysTheController() {
		Caller process = new Caller("", "default/operator", "system:serviceaccount:default:operator", "shard");
		assertThat(process.with("greedy").as("system:serviceaccount:team:bot"))
			.isEqualTo(new Caller("greedy", "team/bot", "system:serviceaccount:team:bot", "shard"));
		assertThat(process.as("alice")).isEqualTo(new Caller("", "", "alice", "shard"));
	}

	@Test
	void rulesOfASharedClassDrawFromOneLimit() {
		ApiRequest watch = LIST.query("watch", "true");
		Qos apart = this.world.qos(rule());
		apart.change((before) -> QosRules.define(before.classes(), List.of(rule(), other("other"))));
		assertThat(enter(apart, LIST).admitted()).isCompleted();
		assertThat(enter(apart, watch).admitted()).isCompleted();
		Qos together = this.world.qos(rule());
		together
			.change((before) -> QosRules.define(before.classes(), Set.of("class"), List.of(rule(), other("other"))));
		assertThat(enter(together, LIST).admitted()).isCompleted();
		assertThat(assertRefused(together, watch).rule()).isEqualTo("other");
		assertThat(this.world.rateLimiters.find("qos:class")).isPresent();
		together.change((before) -> QosRules.define(before.classes(), before.shared(), List.of(other("other"))));
		assertRefused(together, watch);
	}

	@Test
	void refusedChangeLeavesWhatIsInForce() {
		Qos qos = this.world.qos(rule());
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
				Accounting.RULE, true, "", Duration.ofHours(1));
		Qos qos = new Qos(QosRules.define(Map.of("class", new QosClass.TokenBucket(4, 1)), List.of(shared)),
				QosOptions.DEFAULTS, this.world.pieces(), this.world.meters, () -> Instant.EPOCH, this.world::nanos);
		qos.shards("", 4, SETTLED);
		assertThat(enter(qos, LIST).admitted()).isCompleted();
		assertThat(enter(qos, LIST).admitted()).isNotDone();
		assertThat(this.world.rateLimiters.rateLimiter("qos-rule").getRateLimiterConfig().getLimitRefreshPeriod())
			.isEqualTo(Duration.ofSeconds(1));
	}

	@Test
	void aRestartOfAnotherShardUsesUpNoWindow() {
		QosRule shared = new QosRule("rule", true, 1, List.of(), List.of(), Set.of(), List.of(), "class", Cost.REQUESTS,
				Accounting.RULE, true, "", Duration.ZERO);
		Qos qos = new Qos(
				QosRules.define(Map.of("class", new QosClass.RunningWindow(600, Duration.ofHours(1))), List.of(shared)),
				QosOptions.DEFAULTS, this.world.pieces(), this.world.meters, () -> Instant.EPOCH, this.world::nanos);
		qos.shards("", 2, SETTLED);
		assertThat(enter(qos, LIST).admitted()).isCompleted();
		qos.shards("", 1, SETTLED);
		qos.shards("", 2, SETTLED);
		for (int i = 1; i < 300; i++) {
			assertThat(enter(qos, LIST).admitted()).isCompletedWithValue(null);
		}
		assertRefused(qos, LIST);
	}

	@Test
	void accountsToTheControllerOfTheLoggingContext() {
		QosRule rule = new QosRule("rule", true, 1, List.of(new Subject(Subject.Kind.CONTROLLER, "greedy")), List.of(),
				Set.of(), List.of(), "class", Cost.REQUESTS, Accounting.SUBJECT, false, "", Duration.ZERO);
		Qos qos = this.world.qos(rule);
		qos.identify(new Caller("", "", "user", "shard"));
		try (MDC.MDCCloseable ignored = MDC.putCloseable("controller", "greedy")) {
			enter(qos, LIST);
			assertRefused(qos, LIST);
		}
		assertThat(enter(qos, LIST).admitted()).isCompleted();
	}

	@Test
	void limitsOfTwoRulesHaveTwoNames() {
		QosRule first = new QosRule("a", true, 1, List.of(), List.of(), Set.of(Operation.LIST), List.of(), "class",
				Cost.REQUESTS, Accounting.NAMESPACE, false, "", Duration.ZERO);
		QosRule second = new QosRule("a-b", true, 2, List.of(), List.of(), Set.of(Operation.GET), List.of(), "class",
				Cost.REQUESTS, Accounting.NAMESPACE, false, "", Duration.ZERO);
		Qos qos = new Qos(QosRules.define(Map.of("class", new QosClass.TokenBucket(1, 1)), List.of(first, second)),
				QosOptions.DEFAULTS, this.world.pieces(), this.world.meters, () -> Instant.EPOCH, this.world::nanos);
		enter(qos, ApiRequest.of("GET", "/api/v1/namespaces/b-c/pods"));
		enter(qos, ApiRequest.of("GET", "/api/v1/namespaces/c/pods/p"));
		assertThat(this.world.rateLimiters.getAllRateLimiters()).extracting(RateLimiter::getName)
			.containsExactlyInAnyOrder("qos-a:b-c", "qos-a-b:c");
	}

	@Test
	void howMuchALimitIsIsAskedOnChangesOnly() {
		AtomicInteger asked = new AtomicInteger();
		QosPieces standard = this.world.pieces();
		QosPieces varying = new QosPieces(standard.selector(), standard.cost(), standard.accounting(),
				standard.aggregation(), (rule, defined, shards) -> {
					if (shards == 13) {
						throw new IllegalStateException("unlucky");
					}
					return new QosClass.TokenBucket(1, asked.incrementAndGet());
				});
		Qos qos = new Qos(QosRules.define(Map.of("class", new QosClass.TokenBucket(1, 1)), List.of(rule())),
				QosOptions.DEFAULTS, varying, this.world.meters, () -> Instant.EPOCH, this.world::nanos);
		assertThat(enter(qos, LIST).admitted()).isCompleted();
		assertRefused(qos, LIST);
		assertRefused(qos, LIST);
		assertThat(asked).hasValue(1);
		qos.shards("", 2, SETTLED);
		assertThat(asked).hasValue(2);
		// A larger share is no burst.
		assertRefused(qos, LIST);
		assertThat(asked).hasValue(2);
		// What was in force stays.
		assertThatIllegalStateException().isThrownBy(() -> qos.shards("", 13, SETTLED));
		assertRefused(qos, LIST);
		assertThat(asked).hasValue(2);
	}

	@Test
	void twoControllersHaveALimitEach() {
		QosRule rule = new QosRule("rule", true, 1, List.of(), List.of(), Set.of(), List.of(), "class", Cost.REQUESTS,
				Accounting.SUBJECT, false, "", Duration.ZERO);
		Qos qos = this.world.qos(rule);
		for (String controller : List.of("a", "b")) {
			try (MDC.MDCCloseable ignored = MDC.putCloseable("controller", controller)) {
				assertThat(enter(qos, LIST).admitted()).isCompleted();
				assertRefused(qos, LIST);
			}
		}
		assertThat(this.world.rateLimiters.getAllRateLimiters()).extracting(RateLimiter::getName)
			.containsExactlyInAnyOrder("qos-rule:a", "qos-rule:b");
	}

	static List<QosClass> classes() {
		return List.of(new QosClass.TokenBucket(1_000, 1_000), new QosClass.LeakyBucket(1_000, 10),
				new QosClass.RunningWindow(1_000, Duration.ofSeconds(1)), new QosClass.MaxInFlight(10));
	}

	@ParameterizedTest
	@MethodSource("classes")
	void serverThatAsksForAPauseGetsIt(QosClass qosClass) {
		Qos qos = new Qos(QosRules.define(Map.of("class", qosClass), List.of(rule())), QosOptions.DEFAULTS,
				this.world.pieces(), this.world.meters, () -> Instant.EPOCH, this.world::nanos);
		enter(qos, LIST)
			.ended(new ApiException(429, "TooManyRequests", Duration.ofSeconds(3), "too many requests", null));
		assertThat(assertRefused(qos, LIST).retryAfter()).isEqualTo(Duration.ofSeconds(3));
		this.world.nanos += 1_000_000_000L;
		// Also under a limit that follows.
		qos.change((before) -> QosRules.define(before.classes(), List.of(patient(Duration.ofMillis(1)))));
		assertThat(assertRefused(qos, LIST).retryAfter()).isBetween(Duration.ofSeconds(2), Duration.ofMillis(2_001));
		this.world.nanos += 2_001_000_000L;
		assertThat(enter(qos, LIST).admitted()).isCompleted();
		assertThat(this.world.meters.get("sharding.qos.server.pressure").gauge().value()).isPositive();
	}

	@ParameterizedTest
	@CsvSource({ "TooManyRequests, false", "'', true" })
	void aDisruptionBudgetThatIsAgainstAnEvictionHoldsNothing(String reason, boolean overloaded) {
		Qos qos = this.world.qos(rule());
		ApiRequest eviction = ApiRequest.of("POST", "/api/v1/namespaces/default/pods/a/eviction");
		enter(qos, eviction).ended(new ApiException(429, reason, Duration.ofSeconds(10), "no", null));
		this.world.nanos += 1_000_000_000L;
		if (overloaded) {
			assertThat(assertRefused(qos, LIST).retryAfter()).isEqualTo(Duration.ofSeconds(9));
		}
		else {
			assertThat(enter(qos, LIST).admitted()).isCompleted();
		}
		assertThat(this.world.meters.get("sharding.qos.server.pressure").gauge().value() > 0).isEqualTo(overloaded);
	}

	@Test
	void aWebhookThatDeniesOneWriteForNowHoldsNothing() {
		Qos qos = this.world.qos(rule());
		enter(qos, ApiRequest.of("PUT", "/api/v1/namespaces/default/pods/a"))
			.ended(new ApiException(429, "TooManyRequests", Duration.ofSeconds(300), "", true, true, "not now", null));
		this.world.nanos += 1_000_000_000L;
		assertThat(enter(qos, LIST).admitted()).isCompleted();
		assertThat(this.world.meters.get("sharding.qos.server.pressure").gauge().value()).isZero();
	}

	@Test
	void aChangeThatFailsHalfwayLeavesRulesThatGiveTurns() {
		QosPieces standard = this.world.pieces();
		AtomicInteger made = new AtomicInteger();
		QosPieces failing = new QosPieces(standard.selector(), standard.cost(), standard.accounting(),
				(name, qosClass, longestWait, before) -> {
					if (made.incrementAndGet() == 2) {
						throw new IllegalStateException("planned");
					}
					return standard.aggregation().limiter(name, qosClass, longestWait, before);
				}, standard.limits());
		Qos qos = new Qos(QosRules.define(Map.of("class", new QosClass.TokenBucket(1, 1)), List.of(rule())),
				QosOptions.DEFAULTS, failing, this.world.meters, () -> Instant.EPOCH, this.world::nanos);
		assertThat(enter(qos, LIST).admitted()).isCompleted();
		assertThatIllegalStateException().isThrownBy(() -> qos
			.change((before) -> QosRules.define(Map.of("class", new QosClass.TokenBucket(9, 9)), before.rules())));
		assertThat(qos.rules().classes()).containsEntry("class", new QosClass.TokenBucket(1, 1));
		assertThat(CompletableFuture.supplyAsync(() -> enter(qos, LIST).admitted())).succeedsWithin(30,
				TimeUnit.SECONDS);
	}

	static List<QosClass> classesThatCount() {
		return List.of(new QosClass.TokenBucket(1_000, 1_000),
				new QosClass.RunningWindow(1_000, Duration.ofSeconds(1)));
	}

	@ParameterizedTest
	@MethodSource("classesThatCount")
	void whatCostsNothingWaitsForThePauseAsWell(QosClass qosClass) {
		QosRule free = new QosRule("rule", true, 1, List.of(), List.of(), Set.of(), List.of(), "class",
				Cost.REQUEST_BYTES, Accounting.RULE, false, "", Duration.ofSeconds(2));
		Qos qos = new Qos(QosRules.define(Map.of("class", qosClass), List.of(free)), QosOptions.DEFAULTS,
				this.world.pieces(), this.world.meters, () -> Instant.EPOCH, this.world::nanos);
		enter(qos, LIST)
			.ended(new ApiException(429, "TooManyRequests", Duration.ofSeconds(3), "too many requests", null));
		assertThat(assertRefused(qos, LIST).retryAfter()).isEqualTo(Duration.ofSeconds(3));
		this.world.nanos += 1_500_000_000L;
		Passage waiting = enter(qos, LIST);
		assertThat(waiting.admitted()).isNotDone();
		waiting.ended(new CancellationException());
		this.world.nanos += 1_500_000_000L;
		assertThat(enter(qos, LIST).admitted()).isCompleted();
	}

	@Test
	void whoIsNextInLineWaitsForThePauseThatTheServerAsksFor() {
		Qos qos = new Qos(
				QosRules.define(Map.of("class", new QosClass.MaxInFlight(1)), List.of(patient(Duration.ofHours(1)))),
				QosOptions.DEFAULTS, this.world.pieces(), this.world.meters, () -> Instant.EPOCH, this.world::nanos);
		Passage flying = enter(qos, LIST);
		Passage next = enter(qos, LIST);
		flying.ended(new ApiException(429, "TooManyRequests", Duration.ofHours(2), "too many requests", null));
		assertThat(next.admitted()).isNotDone();
	}

	@Test
	void storageCountsOnlyWhileItsReadingIsFresh() {
		QosOptions options = new QosOptions(10, 2_000, Duration.ofMinutes(1), 10, 1_000, Duration.ofSeconds(30),
				Set.of());
		Qos qos = new Qos(
				QosRules.define(Map.of("class", new QosClass.TokenBucket(1, 1)),
						List.of(rule(new Condition(Measure.STORAGE_USED, 0.9)))),
				options, this.world.pieces(), this.world.meters, () -> Instant.EPOCH, this.world::nanos);
		assertThat(limitedTwice(qos)).isFalse();
		qos.serverMetrics("""
				# TYPE apiserver_storage_size_bytes gauge
				apiserver_storage_size_bytes{storage_cluster_id="etcd-0"} 9.5e+02
				""");
		assertThat(limitedTwice(qos)).isTrue();
		this.world.nanos += Duration.ofSeconds(91).toNanos();
		assertThat(limitedTwice(qos)).isFalse();
	}

	@Test
	void storageWithoutAQuotaIsNeverFull() {
		StorageUse storage = new StorageUse(0, Duration.ofSeconds(90), this.world::nanos);
		storage.read(950);
		assertThat(storage.used()).isNaN();
	}

	@Test
	void sizeOfARequestIsThatOfItsBytes() {
		Qos qos = this.world.qos(rule(new Condition(Measure.REQUEST_SIZE, 12)));
		for (String body : List.of("twelve bytes", "zw\u00f6lf", "\u4e2d\u6587\u4e2d\u6587")) {
			enter(qos, ApiRequest.of("POST", "/api/v1/namespaces/a/pods", "application/json", body)).ended(null);
		}
		assertThat(qos.counts()).containsExactly(new RuleCounts("rule", 0, 0, 0, 0));
		for (String body : List.of("\u4e2d\u6587\u4e2d\u6587.", "\u20ac\u20ac\u20ac\ud83d\ude00", "thirteen byte")) {
			ApiRequest large = ApiRequest.of("POST", "/api/v1/namespaces/a/pods", "application/json", body);
			assertThat(body.getBytes(StandardCharsets.UTF_8)).hasSize(13);
			enter(qos, large);
		}
		assertThat(qos.counts()).extracting(RuleCounts::matched).containsExactly(3L);
		assertThat(Qos.bytesOf(ApiRequest.of("POST", "/a", "application/json", "\ud83d"))).isEqualTo(1);
	}

	@Test
	void exemptionsCanBeLifted() {
		ApiRequest lease = ApiRequest.of("GET", "/apis/coordination.k8s.io/v1/namespaces/a/leases/b");
		ApiRequest probe = LIST.exempted();
		assertThat(this.world.qos(rule()).enter(lease)).isNull();
		assertThat(this.world.qos(rule()).enter(probe)).isNull();
		QosOptions strict = new QosOptions(10, 2_000, Duration.ofMinutes(1), 10, 0, Duration.ofSeconds(30), Set.of());
		Qos qos = new Qos(QosRules.define(Map.of("class", new QosClass.TokenBucket(1, 1)), List.of(rule())), strict,
				this.world.pieces(), this.world.meters, () -> Instant.EPOCH, this.world::nanos);
		assertThat(enter(qos, lease).admitted()).isCompleted();
		assertRefused(qos, probe);
	}

	static List<QosClass> oneAnHour() {
		return List.of(new QosClass.TokenBucket(1 / 3_600.0, 1), new QosClass.LeakyBucket(1 / 3_600.0, 2),
				new QosClass.RunningWindow(1, Duration.ofHours(1)), new QosClass.MaxInFlight(1));
	}

	@ParameterizedTest
	@MethodSource("oneAnHour")
	void whoGivesUpItsWaitLeavesItsPlaceToTheNext(QosClass qosClass) {
		Qos qos = new Qos(QosRules.define(Map.of("class", qosClass), List.of(patient(Duration.ofMinutes(65)))),
				QosOptions.DEFAULTS, this.world.pieces(), this.world.meters, () -> Instant.EPOCH, this.world::nanos);
		Passage flying = enter(qos, LIST);
		assertThat(flying.admitted()).isCompleted();
		for (int i = 0; i < 20; i++) {
			Passage waiting = enter(qos, LIST);
			assertThat(waiting.admitted()).isNotDone();
			waiting.ended(new CancellationException());
		}
		assertThat(qos.counts()).extracting(RuleCounts::limited).containsExactly(20L);
		flying.ended(null);
	}

	@Test
	void whatTheFenceRefusesIsNotTheRulesDoing() {
		Qos qos = this.world.qos(patient(Duration.ofHours(1), Cost.WALL_TIME));
		enter(qos, LIST).ended(new Fenced());
		enter(qos, ApiRequest.of("GET", "/api/v1/secrets")).ended(new Fenced());
		assertThat(qos.monitor().since(null, 0, 10, 0, Duration.ZERO).join()).singleElement()
			.satisfies((waited) -> assertThat(waited.rejected()).isFalse());
		assertThat(qos.counts()).containsExactly(new RuleCounts("rule", 2, 1, 1, 0));
		assertThat(qos.memory().size()).isZero();
		assertThat(this.world.meters.get("sharding.qos.rejected").counter().count()).isZero();
	}

	/** What a fence says after a rule has let the request go. */
	private static final class Fenced extends NotSentException {

		private static final long serialVersionUID = 1L;

		Fenced() {
			super("Failed to write: no claim");
		}

	}

	@Test
	void requestThatGaveUpItsWaitTeachesNothing() {
		Qos qos = this.world.qos(patient(Duration.ofHours(1), Cost.WALL_TIME));
		enter(qos, LIST).ended(null);
		Passage waiting = enter(qos, LIST.query("labelSelector", "a=b"));
		assertThat(waiting.admitted()).isNotDone();
		waiting.ended(new CancellationException());
		assertThat(qos.memory().size()).isEqualTo(1);
	}

	@Test
	void requestThatFailedTeachesNothingAboutTheAnswer() {
		Qos qos = this.world.qos(rule(new Condition(Measure.PREDICTED_ITEMS, 2_499)));
		Passage refused = enter(qos, LIST);
		refused.received(StandardCharsets.UTF_8.encode("{\"kind\":\"Status\"}"));
		refused.ended(new ApiException(503, "ServiceUnavailable", null, "unavailable", null));
		Passage large = enter(qos, LIST);
		large.received(StandardCharsets.UTF_8.encode("{\"items\":[{}" + ",{}".repeat(2_499) + "]}"));
		large.ended(null);
		assertThat(this.world.meters.get("sharding.qos.response.bytes").tags("kind", "predicted").summary().count())
			.isZero();
		assertThat(enter(qos, LIST).admitted()).isCompleted();
		assertRefused(qos, LIST);
	}

	@Test
	void pageSizeKeepsAListFromCountingAsUnpaged() {
		Qos qos = this.world.qos(rule(new Condition(Measure.UNPAGED_ITEMS, 2)));
		for (ApiRequest request : List.of(LIST, LIST.query("limit", "2"), LIST.query("limit", "0"),
				LIST.query("limit", "2").query("resourceVersion", "0"))) {
			Passage first = enter(qos, request);
			first.received(StandardCharsets.UTF_8.encode("{\"items\":[{},{},{}]}"));
			first.ended(null);
		}
		assertThat(enter(qos, LIST.query("limit", "2")).admitted()).isCompleted();
		assertThat(qos.counts()).containsExactly(new RuleCounts("rule", 0, 0, 0, 0));
		assertThat(enter(qos, LIST).admitted()).isCompleted();
		// The server ignores the page size of such a list.
		assertRefused(qos, LIST.query("limit", "2").query("resourceVersion", "0"));
		assertRefused(qos, LIST.query("limit", "0"));
	}

	@Test
	void manyGroupsDoNotFillTheMemoryAndKeepTheirLimits() {
		QosRule rule = new QosRule("rule", true, 1, List.of(), List.of(), Set.of(), List.of(), "class", Cost.REQUESTS,
				Accounting.NAMESPACE, false, "", Duration.ZERO);
		Qos qos = this.world.qos(rule);
		for (int i = 0; i < 1_200; i++) {
			enter(qos, ApiRequest.of("GET", "/api/v1/namespaces/n-" + i + "/pods"));
		}
		assertThat(this.world.rateLimiters.getAllRateLimiters()).hasSizeLessThanOrEqualTo(1_001);
		this.world.nanos += 1_000_000_000;
		assertThat(enter(qos, ApiRequest.of("GET", "/api/v1/namespaces/n-0/pods")).admitted()).isCompleted();
		assertThat(enter(qos, ApiRequest.of("GET", "/api/v1/namespaces/n-1/pods")).admitted()).isCompleted();
		assertThat(enter(qos, ApiRequest.of("GET", "/api/v1/namespaces/n-1100/pods")).admitted()).isCompleted();
		assertRefused(qos, ApiRequest.of("GET", "/api/v1/namespaces/n-1101/pods"));
	}

	private boolean limitedTwice(Qos qos) {
		enter(qos, LIST).ended(null);
		return enter(qos, LIST).admitted().isCompletedExceptionally();
	}

}
