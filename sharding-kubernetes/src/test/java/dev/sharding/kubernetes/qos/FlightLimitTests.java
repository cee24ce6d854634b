package dev.sharding.kubernetes.qos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.resilience4j.bulkhead.Bulkhead;
import io.github.resilience4j.bulkhead.BulkheadConfig;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class FlightLimitTests {

	private final Bulkhead bulkhead = Bulkhead.of("test",
			BulkheadConfig.custom().maxConcurrentCalls(2).maxWaitDuration(Duration.ZERO).build());

	private final FlightLimit limit = new FlightLimit(this.bulkhead, Duration.ofMinutes(1), () -> {
	});

	@Test
	void firstComeFirstServed() {
		List<Limiter.Turn> turns = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			turns.add(this.limit.ask(1));
		}
		assertThat(turns).extracting((turn) -> turn.ready().isDone()).containsExactly(true, true, false, false);
		turns.get(1).leave();
		assertThat(turns).extracting((turn) -> turn.ready().isDone()).containsExactly(true, true, true, false);
		turns.get(0).leave();
		turns.get(2).leave();
		turns.get(3).leave();
		assertThat(this.bulkhead.getMetrics().getAvailableConcurrentCalls()).isEqualTo(2);
	}

	@Test
	void whoGivesUpItsWaitTakesNoPermit() {
		Limiter.Turn first = this.limit.ask(1);
		Limiter.Turn second = this.limit.ask(1);
		Limiter.Turn third = this.limit.ask(1);
		Limiter.Turn fourth = this.limit.ask(1);
		third.leave();
		first.leave();
		assertThat(third.ready()).isNotDone();
		assertThat(fourth.ready()).isDone();
		second.leave();
		fourth.leave();
		fourth.leave();
		assertThat(this.bulkhead.getMetrics().getAvailableConcurrentCalls()).isEqualTo(2);
	}

	@Test
	void refusesWhoWaitedTooLong() {
		FlightLimit impatient = new FlightLimit(this.bulkhead, Duration.ofMillis(1), () -> {
		});
		impatient.ask(1);
		impatient.ask(1);
		Limiter.Turn late = impatient.ask(1);
		await().until(late.ready()::isCompletedExceptionally);
		assertThat(late.ready().handle((ready, failure) -> failure).join()).isInstanceOf(Limiter.Refused.class);
		late.leave();
		assertThat(this.bulkhead.getMetrics().getAvailableConcurrentCalls()).isZero();
	}

	@Test
	void losesNoPermitAmongManyThreads() throws Exception {
		AtomicInteger flying = new AtomicInteger();
		AtomicInteger most = new AtomicInteger();
		ExecutorService threads = Executors.newFixedThreadPool(8);
		List<CompletableFuture<Void>> flights = new ArrayList<>();
		try {
			for (int i = 0; i < 2_000; i++) {
				boolean givesUp = i % 7 == 0;
				flights.add(CompletableFuture.supplyAsync(() -> this.limit.ask(1), threads).thenCompose((turn) -> {
					if (givesUp) {
						turn.leave();
						return CompletableFuture.completedFuture(null);
					}
					return turn.ready().thenRunAsync(() -> {
						most.accumulateAndGet(flying.incrementAndGet(), Math::max);
						flying.decrementAndGet();
						turn.leave();
					}, threads);
				}));
			}
			CompletableFuture.allOf(flights.toArray(CompletableFuture[]::new)).get();
		}
		finally {
			threads.shutdownNow();
		}
		assertThat(most.get()).isBetween(1, 2);
		assertThat(this.bulkhead.getMetrics().getAvailableConcurrentCalls()).isEqualTo(2);
	}

}
