package dev.sharding.internal.kubernetes.qos.limit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import dev.sharding.qos.spi.Limiter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class FlightLimitTests {

	private final FlightBulkhead bulkhead = new FlightBulkhead("test", 2);

	private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1_000);

	private final FlightLimit limit = limit(this.bulkhead, Duration.ofMinutes(1), null);

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
		assertThat(third.ready()).isCancelled();
		assertThat(fourth.ready()).isDone();
		second.leave();
		fourth.leave();
		fourth.leave();
		assertThat(this.bulkhead.getMetrics().getAvailableConcurrentCalls()).isEqualTo(2);
	}

	@Test
	void refusesWhoWaitedTooLong() {
		FlightLimit impatient = limit(this.bulkhead, Duration.ofMillis(1), null);
		impatient.ask(1);
		impatient.ask(1);
		Limiter.Turn late = impatient.ask(1);
		await().atMost(Duration.ofMinutes(1)).until(late.ready()::isCompletedExceptionally);
		assertThat(refusal(late)).isPositive();
		late.leave();
		assertThat(this.bulkhead.getMetrics().getAvailableConcurrentCalls()).isZero();
	}

	@Test
	void refusalSaysWhenAPlaceIsLikelyToBeFree() {
		FlightLimit impatient = limit(this.bulkhead, Duration.ZERO, null);
		Limiter.Turn first = impatient.ask(1);
		impatient.ask(1);
		this.nanos.addAndGet(Duration.ofSeconds(4).toNanos());
		// Nothing has ended yet: as long again as the first has flown, for two places.
		assertThat(refusal(impatient.ask(1))).isEqualTo(Duration.ofSeconds(2).toNanos());
		this.nanos.addAndGet(Duration.ofSeconds(4).toNanos());
		first.leave();
		impatient.ask(1);
		assertThat(refusal(impatient.ask(1))).isEqualTo(Duration.ofSeconds(4).toNanos());
	}

	@Test
	void serverThatAsksForAPauseGetsItAndThenAllWhoWaitedGo() {
		FlightLimit patient = limit(this.bulkhead, Duration.ofHours(2), null);
		Limiter.Turn flying = patient.ask(1);
		patient.holdFor(Duration.ofHours(1).toNanos());
		Limiter.Turn waiting = patient.ask(1);
		flying.leave();
		assertThat(waiting.ready()).isNotDone();
		assertThat(refusal(limitOfOnePlace(patient, Duration.ofMinutes(1)).ask(1)))
			.isEqualTo(Duration.ofHours(1).toNanos());
		waiting.leave();
		FlightLimit real = new FlightLimit(this.bulkhead, Duration.ofHours(1), () -> {
		}, System::nanoTime, FlightLimit.ALARMS, null);
		real.holdFor(Duration.ofMillis(20).toNanos());
		List<Limiter.Turn> turns = List.of(real.ask(1), real.ask(1));
		await().atMost(Duration.ofMinutes(1)).until(() -> turns.stream().allMatch((turn) -> turn.ready().isDone()));
		turns.forEach(Limiter.Turn::leave);
		assertThat(this.bulkhead.getMetrics().getAvailableConcurrentCalls()).isEqualTo(2);
	}

	@Test
	void limitThatFollowsCountsTheFlightsOfTheOneBefore() {
		Limiter.Turn first = this.limit.ask(1);
		Limiter.Turn second = this.limit.ask(1);
		Limiter.Turn waiting = this.limit.ask(1);
		FlightBulkhead narrower = new FlightBulkhead("narrower", 1);
		FlightLimit next = limit(narrower, Duration.ofMinutes(1), this.limit);
		Limiter.Turn late = next.ask(1);
		assertThat(late.ready()).isNotDone();
		first.leave();
		assertThat(waiting.ready()).isDone();
		assertThat(late.ready()).isNotDone();
		second.leave();
		assertThat(late.ready()).isNotDone();
		waiting.leave();
		assertThat(late.ready()).isDone();
		late.leave();
		assertThat(narrower.getMetrics().getAvailableConcurrentCalls()).isEqualTo(1);
		assertThat(this.bulkhead.getMetrics().getAvailableConcurrentCalls()).isEqualTo(2);
	}

	@Test
	void placeThatIsFreeAfterTwoChangesIsTakenOnce() {
		FlightBulkhead one = new FlightBulkhead("one", 1);
		FlightLimit first = limit(one, Duration.ofMinutes(1), null);
		Limiter.Turn flying = first.ask(1);
		FlightLimit second = limit(new FlightBulkhead("two", 1), Duration.ofMinutes(1), first);
		Limiter.Turn waiting = second.ask(1);
		FlightLimit third = limit(new FlightBulkhead("three", 1), Duration.ofMinutes(1), second);
		Limiter.Turn last = third.ask(1);
		flying.leave();
		assertThat(waiting.ready()).isDone();
		assertThat(last.ready()).isNotDone();
		waiting.leave();
		assertThat(last.ready()).isDone();
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

	private FlightLimit limitOfOnePlace(FlightLimit before, Duration longestWait) {
		return limit(new FlightBulkhead("one", 1), longestWait, before);
	}

	private FlightLimit limit(FlightBulkhead bulkhead, Duration longestWait, @Nullable FlightLimit before) {
		return new FlightLimit(bulkhead, longestWait, () -> {
		}, this.nanos::get, FlightLimit.ALARMS, before);
	}

	private static long refusal(Limiter.Turn turn) {
		assertThat(turn.ready()).isCompletedExceptionally();
		Throwable failure = turn.ready().handle((ready, refusal) -> refusal).join();
		assertThat(failure).isInstanceOf(Limiter.Refused.class);
		return ((Limiter.Refused) failure).retryAfterNanos();
	}

}
