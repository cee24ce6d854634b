package dev.sharding.internal.kubernetes.qos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import dev.sharding.internal.kubernetes.qos.limit.QosPieces;
import dev.sharding.qos.spi.Limiter;
import dev.sharding.qos.spi.QosClass;
import io.github.resilience4j.bulkhead.Bulkhead;
import io.github.resilience4j.bulkhead.BulkheadRegistry;
import io.github.resilience4j.ratelimiter.RateLimiter;
import io.github.resilience4j.ratelimiter.RateLimiterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** What Resilience4j's registries, metrics and events see of our limits. */
class ResilienceTests {

	private final RateLimiterRegistry rateLimiters = RateLimiterRegistry.ofDefaults();

	private final BulkheadRegistry bulkheads = BulkheadRegistry.ofDefaults();

	private final List<String> events = new ArrayList<>();

	private long nanos = Long.MAX_VALUE - 1_000;

	static List<QosClass> rates() {
		return List.of(new QosClass.TokenBucket(0.001, 3), new QosClass.RunningWindow(3, Duration.ofHours(1)));
	}

	@ParameterizedTest
	@MethodSource("rates")
	void rateLimiterIsRegisteredAndTellsWhatItPermitsAndRejects(QosClass qosClass) {
		Limiter limiter = limiter(qosClass, Duration.ZERO);
		RateLimiter registered = this.rateLimiters.find("qos-rule").orElseThrow();
		registered.getEventPublisher()
			.onSuccess((event) -> this.events.add("permitted " + event.getNumberOfPermits()))
			.onFailure((event) -> this.events.add("rejected " + event.getNumberOfPermits()));
		assertThat(registered.getMetrics().getAvailablePermissions()).isEqualTo(3);
		assertThat(ask(limiter, 2).ready()).isCompletedWithValue(null);
		assertThat(registered.getMetrics().getAvailablePermissions()).isEqualTo(1);
		assertThat(ask(limiter, 2).ready()).isCompletedExceptionally();
		assertThat(registered.acquirePermission()).isTrue();
		assertThat(registered.acquirePermission()).isFalse();
		assertThat(this.events).containsExactly("permitted 2", "rejected 2", "permitted 1", "rejected 1");
		assertThat(registered.getRateLimiterConfig().getLimitForPeriod()).isEqualTo(3);
		limiter.retire();
		assertThat(this.rateLimiters.getAllRateLimiters()).isEmpty();
	}

	@Test
	void permissionsOfTheRegistryAreThoseOfTheRule() {
		Limiter limiter = limiter(new QosClass.RunningWindow(3, Duration.ofHours(1)), Duration.ZERO);
		RateLimiter registered = this.rateLimiters.find("qos-rule").orElseThrow();
		registered.drainPermissions();
		assertThat(ask(limiter, 1).ready()).isCompletedExceptionally();
	}

	@Test
	void bulkheadIsRegisteredAndTellsWhatItPermitsAndRejects() {
		Limiter limiter = limiter(new QosClass.MaxInFlight(1), Duration.ofMillis(1));
		Bulkhead registered = this.bulkheads.find("qos-rule").orElseThrow();
		registered.getEventPublisher()
			.onCallPermitted((event) -> this.events.add("permitted"))
			.onCallRejected((event) -> this.events.add("rejected"))
			.onCallFinished((event) -> this.events.add("finished"));
		Limiter.Turn flying = ask(limiter, 1);
		Limiter.Turn late = ask(limiter, 1);
		await().atMost(Duration.ofMinutes(1)).until(late.ready()::isCompletedExceptionally);
		assertThat(registered.getMetrics().getAvailableConcurrentCalls()).isZero();
		flying.leave();
		late.leave();
		limiter.holdFor(Duration.ofHours(1).toNanos());
		assertThat(ask(limiter, 1).ready()).isCompletedExceptionally();
		assertThat(this.events).containsExactly("permitted", "rejected", "finished", "rejected");
		assertThat(registered.getMetrics().getAvailableConcurrentCalls()).isEqualTo(1);
		limiter.retire();
		assertThat(this.bulkheads.getAllBulkheads()).isEmpty();
	}

	private static Limiter.Turn ask(Limiter limiter, long cost) {
		Limiter.Turn turn = limiter.ask(cost);
		turn.announce();
		return turn;
	}

	private Limiter limiter(QosClass qosClass, Duration longestWait) {
		return QosPieces.aggregation(this.rateLimiters, this.bulkheads, () -> this.nanos)
			.limiter("qos-rule", qosClass, longestWait, null);
	}

}
