package dev.sharding.internal.kubernetes.informer;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Shared work is never older than those who get it: one flight under way, one to come.
 */
class SingleFlightTests {

	/** The work of each flight that was begun. */
	private final List<CompletableFuture<String>> begun = new ArrayList<>();

	private final SingleFlight<String> flights = new SingleFlight<>(() -> {
		CompletableFuture<String> work = new CompletableFuture<>();
		this.begun.add(work);
		return work;
	});

	@Test
	void theFirstOfAllWaitsForNobody() {
		CompletableFuture<String> reader = this.flights.join();
		assertThat(this.begun).hasSize(1);
		this.begun.get(0).complete("first");
		assertThat(reader).isCompletedWithValue("first");
		assertThat(this.begun).as("begun without a reader").hasSize(1);
	}

	@Test
	void whoComesWhileWorkIsUnderWaySharesTheNextAndNotThatOne() {
		CompletableFuture<String> early = this.flights.join();
		List<CompletableFuture<String>> late = List.of(this.flights.join(), this.flights.join(), this.flights.join());
		assertThat(this.begun).as("begun while one is under way").hasSize(1);
		this.begun.get(0).complete("first");
		assertThat(early).isCompletedWithValue("first");
		assertThat(late).noneMatch(CompletableFuture::isDone);
		assertThat(this.begun).hasSize(2);
		CompletableFuture<String> latest = this.flights.join();
		this.begun.get(1).complete("second");
		assertThat(late).allSatisfy((reader) -> assertThat(reader).isCompletedWithValue("second"));
		assertThat(latest).isNotDone();
		this.begun.get(2).complete("third");
		assertThat(latest).isCompletedWithValue("third");
		assertThat(this.begun).hasSize(3);
	}

	@Test
	void aFailureIsThatOfOneFlight() {
		CompletableFuture<String> early = this.flights.join();
		CompletableFuture<String> late = this.flights.join();
		this.begun.get(0).completeExceptionally(new IllegalStateException("refused"));
		assertThat(failure(early)).hasMessageContaining("refused");
		this.begun.get(1).complete("second");
		assertThat(late).isCompletedWithValue("second");
	}

	@Test
	void workThatCannotBeginFailsItsReadersOnly() {
		AtomicInteger attempts = new AtomicInteger();
		SingleFlight<String> reluctant = new SingleFlight<>(() -> {
			if (attempts.incrementAndGet() == 1) {
				throw new IllegalStateException("closed");
			}
			return CompletableFuture.completedFuture("begun");
		});
		assertThat(failure(reluctant.join())).hasMessageContaining("closed");
		assertThat(reluctant.join()).isCompletedWithValue("begun");
	}

	@Test
	void whoLeavesTakesNobodyAlong() {
		CompletableFuture<String> stays = this.flights.join();
		CompletableFuture<String> leaves = this.flights.join();
		CompletableFuture<String> staysToo = this.flights.join();
		leaves.cancel(false);
		assertThat(this.begun.get(0)).isNotDone();
		this.begun.get(0).complete("first");
		assertThat(stays).isCompletedWithValue("first");
		this.begun.get(1).complete("second");
		assertThat(staysToo).isCompletedWithValue("second");
	}

	@Test
	void theLastToLeaveCallsTheWorkOffAndTheNextBegins() {
		CompletableFuture<String> leaves = this.flights.join();
		CompletableFuture<String> next = this.flights.join();
		leaves.cancel(false);
		assertThat(this.begun.get(0)).isCancelled();
		assertThat(this.begun).hasSize(2);
		this.begun.get(1).complete("second");
		assertThat(next).isCompletedWithValue("second");
	}

	@Test
	void aFlightThatAllHaveLeftBeforeItBeganNeverBegins() {
		CompletableFuture<String> stays = this.flights.join();
		this.flights.join().cancel(false);
		this.begun.get(0).complete("first");
		assertThat(stays).isCompletedWithValue("first");
		assertThat(this.begun).hasSize(1);
		CompletableFuture<String> later = this.flights.join();
		this.begun.get(1).complete("second");
		assertThat(later).isCompletedWithValue("second");
	}

	@Test
	void closingEndsThoseWhoWaitAndThoseWhoCome() {
		CompletableFuture<String> current = this.flights.join();
		CompletableFuture<String> next = this.flights.join();
		this.flights.close();
		assertThat(current).isCompletedExceptionally();
		assertThat(next).isCompletedExceptionally();
		assertThat(this.begun.get(0)).isCancelled();
		assertThat(this.flights.join()).isCompletedExceptionally();
		assertThat(this.begun).hasSize(1);
	}

	@Test
	void nobodyGetsOlderWorkAmongManyThreads() throws Exception {
		AtomicLong clock = new AtomicLong();
		AtomicInteger flying = new AtomicInteger();
		AtomicInteger most = new AtomicInteger();
		AtomicInteger flown = new AtomicInteger();
		int readers = 8;
		int reads = 2_000;
		ExecutorService workers = Executors.newFixedThreadPool(2);
		ExecutorService threads = Executors.newFixedThreadPool(readers);
		SingleFlight<Long> shared = new SingleFlight<>(() -> {
			long beginning = clock.incrementAndGet();
			flown.incrementAndGet();
			most.accumulateAndGet(flying.incrementAndGet(), Math::max);
			return CompletableFuture.supplyAsync(() -> {
				Thread.yield();
				flying.decrementAndGet();
				return beginning;
			}, workers);
		});
		try {
			List<CompletableFuture<Void>> all = new ArrayList<>();
			for (int i = 0; i < readers; i++) {
				all.add(CompletableFuture.runAsync(() -> {
					for (int read = 0; read < reads; read++) {
						long arrived = clock.incrementAndGet();
						assertThat(shared.join().orTimeout(60, TimeUnit.SECONDS).join()).isGreaterThan(arrived);
					}
				}, threads));
			}
			CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).get(2, TimeUnit.MINUTES);
		}
		finally {
			threads.shutdownNow();
			workers.shutdownNow();
		}
		assertThat(most.get()).as("flights at a time").isEqualTo(1);
		assertThat(flown.get()).as("flights of %d reads", readers * reads).isBetween(1, readers * reads);
	}

	private static Throwable failure(CompletableFuture<?> future) {
		assertThat(future).isCompletedExceptionally();
		return future.handle((value, failure) -> failure).join();
	}

}
