package dev.sharding.internal.kubernetes.qos;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

import dev.sharding.client.RequestThrottle.Passage;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.qos.spi.Accounting;
import dev.sharding.qos.spi.Cost;
import dev.sharding.qos.spi.Measure;
import dev.sharding.qos.spi.Operation;
import dev.sharding.qos.spi.QosClass;
import dev.sharding.qos.spi.QosRule;
import dev.sharding.qos.spi.QosRules;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.cumulative.CumulativeDistributionSummary;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static dev.sharding.internal.kubernetes.qos.QosWorld.LIST;
import static dev.sharding.internal.kubernetes.qos.QosWorld.assertRefused;
import static dev.sharding.internal.kubernetes.qos.QosWorld.enter;
import static dev.sharding.internal.kubernetes.qos.QosWorld.other;
import static dev.sharding.internal.kubernetes.qos.QosWorld.patient;
import static dev.sharding.internal.kubernetes.qos.QosWorld.rule;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * What QoS shows of what it did: the monitor, meters and counts.
 */
class QosReportsTests {

	private final QosWorld world = new QosWorld();

	@Test
	void monitorShowsWhatWasLimitedAndWhatWasSlow() {
		Qos qos = this.world.qos(rule());
		Passage slow = enter(qos, LIST);
		this.world.nanos += 2_000_000_000;
		slow.ended(null);
		enter(qos, LIST).ended(null);
		assertRefused(qos, LIST);
		assertThat(qos.monitor().since(Measure.LATENCY, 1_500, 10, 0, Duration.ZERO).join()).singleElement()
			.satisfies((seen) -> assertThat(seen.latencyMillis()).isEqualTo(2_000));
		assertThat(qos.monitor().since(null, 0, 10, 0, Duration.ZERO).join()).singleElement().satisfies((seen) -> {
			assertThat(seen.rule()).isEqualTo("rule");
			assertThat(seen.rejected()).isTrue();
		});
		assertThat(qos.monitor().since(null, 0, 10, 2, Duration.ofMillis(1)).join()).isEmpty();
	}

	@Test
	void monitorShowsNewsToWhoFollowsFromBeforeARestart() {
		Qos qos = this.world.qos(rule());
		CompletableFuture<List<SeenRequest>> waiting = qos.monitor().since(null, 0, 10, 40, Duration.ofMinutes(1));
		assertThat(waiting).isNotDone();
		enter(qos, LIST).ended(null);
		assertRefused(qos, LIST);
		assertThat(waiting).succeedsWithin(Duration.ofMinutes(1)).satisfies((news) -> assertThat(news).hasSize(1));
		assertThat(qos.monitor().since(null, 0, 10, 40, Duration.ZERO).join()).extracting(SeenRequest::sequence)
			.containsExactly(1L);
		assertThat(qos.monitor().since(null, 0, 10, 1, Duration.ZERO).join()).isEmpty();
	}

	@Test
	void metersTellWhatBecameOfRequests() {
		QosRule patient = new QosRule("rule", true, 1, List.of(), List.of(), Set.of(Operation.LIST), List.of(), "class",
				Cost.ITEMS, Accounting.RULE, false, "", Duration.ofMillis(1_500));
		Qos qos = new Qos(QosRules.define(Map.of("class", new QosClass.TokenBucket(1, 1)), List.of(patient)),
				QosOptions.DEFAULTS, this.world.pieces(), this.world.meters, () -> Instant.EPOCH, this.world::nanos);
		enter(qos, ApiRequest.of("GET", "/api/v1/namespaces/a/pods/p")).ended(null);
		Passage first = enter(qos, LIST);
		first.received(StandardCharsets.UTF_8.encode("{\"items\":[{}]}"));
		first.ended(null);
		Passage waiting = enter(qos, LIST);
		assertRefused(qos, LIST);
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(waiting.admitted()::isDone);
		waiting.received(StandardCharsets.UTF_8.encode("{\"items\":[{},{}]}"));
		waiting.ended(null);
		assertThat(count("sharding.qos.requests", "none")).isEqualTo(1);
		assertThat(count("sharding.qos.requests", "rule")).isEqualTo(3);
		assertThat(count("sharding.qos.limited", "rule")).isEqualTo(2);
		assertThat(count("sharding.qos.rejected", "rule")).isEqualTo(1);
		assertThat(this.world.meters.get("sharding.qos.waited").tags("rule", "rule", "class", "class").timer().count())
			.isEqualTo(1);
		assertThat(this.world.meters.get("sharding.qos.memory").tags("result", "miss").counter().count()).isEqualTo(1);
		assertThat(this.world.meters.get("sharding.qos.memory").tags("result", "hit").counter().count()).isEqualTo(2);
		assertThat(this.world.meters.get("sharding.qos.response.bytes").tags("kind", "actual").summary().totalAmount())
			.isEqualTo(17);
		assertThat(this.world.meters.get("sharding.qos.response.bytes").tags("kind", "predicted").summary().count())
			.isEqualTo(1);
	}

	static List<MeterRegistry> uselessRegistries() {
		SimpleMeterRegistry denying = new SimpleMeterRegistry();
		denying.config().meterFilter(MeterFilter.deny());
		return List.of(denying, new CompositeMeterRegistry());
	}

	@ParameterizedTest
	@MethodSource("uselessRegistries")
	void countsNeedNoMeters(MeterRegistry registry) {
		Qos qos = new Qos(QosRules.define(Map.of("class", new QosClass.TokenBucket(1, 1)), List.of(rule())),
				QosOptions.DEFAULTS, this.world.pieces(), registry, () -> Instant.EPOCH, this.world::nanos);
		enter(qos, LIST).ended(null);
		assertRefused(qos, LIST);
		assertThat(qos.counts()).containsExactly(new RuleCounts("rule", 2, 1, 0, 1));
		// They are those of the rule, whatever its class.
		QosRule other = new QosRule("rule", true, 1, List.of(), List.of(), Set.of(), List.of(), "other", Cost.REQUESTS,
				Accounting.RULE, false, "", Duration.ZERO);
		qos.change((before) -> QosRules.define(Map.of("other", new QosClass.MaxInFlight(1)), List.of(other)));
		enter(qos, LIST).ended(null);
		assertThat(qos.counts()).containsExactly(new RuleCounts("rule", 3, 1, 0, 1));
	}

	@Test
	void metersThatFailTakeNoPlaceFromOthers() {
		AtomicBoolean broken = new AtomicBoolean();
		SimpleMeterRegistry registry = new SimpleMeterRegistry() {

			@Override
			protected Counter newCounter(Meter.Id id) {
				if (broken.get()) {
					throw new IllegalStateException("no room");
				}
				return super.newCounter(id);
			}

			@Override
			protected DistributionSummary newDistributionSummary(Meter.Id id, DistributionStatisticConfig statistics,
					double scale) {
				return new CumulativeDistributionSummary(id, this.clock, statistics, scale, false) {

					@Override
					protected void recordNonNegative(double amount) {
						throw new IllegalStateException("no room");
					}

				};
			}

		};
		Qos qos = new Qos(
				QosRules.define(Map.of("class", new QosClass.MaxInFlight(1)), List.of(patient(Duration.ZERO))),
				QosOptions.DEFAULTS, this.world.pieces(), registry, () -> Instant.EPOCH, this.world::nanos);
		broken.set(true);
		assertThatIllegalStateException().isThrownBy(() -> qos.enter(LIST));
		broken.set(false);
		for (int i = 0; i < 3; i++) {
			Passage passage = enter(qos, LIST);
			assertThat(passage.admitted()).isCompletedWithValue(null);
			passage.received(StandardCharsets.UTF_8.encode("{\"items\":[{},{}]}"));
			try {
				passage.ended(null);
			}
			catch (IllegalStateException ex) {
				// Known from the second on, as the first of a shape has no prediction.
				assertThat(i).isPositive();
			}
		}
	}

	@Test
	void monitorShowsExpensiveRequestsThatNoRuleIsAbout() {
		Qos qos = this.world.qos(other("other"));
		Passage large = enter(qos, LIST);
		for (int i = 0; i < 1_024; i++) {
			large.received(ByteBuffer.allocate(1_024));
		}
		large.ended(null);
		assertThat(qos.monitor().since(Measure.TOTAL_TRAFFIC, 1_000_000, 10, 0, Duration.ZERO).join()).singleElement()
			.satisfies((seen) -> assertThat(seen.rule()).isNull());
	}

	private double count(String meter, String rule) {
		return this.world.meters.get(meter)
			.tags("rule", rule, "class", rule.equals("none") ? "none" : "class")
			.counter()
			.count();
	}

}
