package dev.sharding.internal.kubernetes.qos.limit;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import dev.sharding.internal.kubernetes.Interleavings.Part;
import dev.sharding.qos.spi.Limiter;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static dev.sharding.internal.kubernetes.Interleavings.assertFaultIsFound;
import static dev.sharding.internal.kubernetes.Interleavings.check;
import static dev.sharding.internal.kubernetes.Interleavings.play;
import static dev.sharding.internal.kubernetes.Interleavings.together;

/**
 * Requests come, leave and give up in any order: there are never more than may be, no
 * place is lost, and each request departs or is refused.
 */
@Tag("long")
class FlightInterleavingTests {

	private static final Duration PATIENCE = Duration.ofHours(1);

	@Test
	void oneAtATimeAndNobodyIsLeftBehind() {
		play(() -> {
			Sky sky = new Sky();
			together(sky::fly, sky::fly);
			sky.checkNobodyIsThere();
		});
	}

	@Test
	void whoGivesUpWhileAPlaceIsFreedTakesItWithHim() {
		play(() -> {
			Sky sky = new Sky();
			Limiter.Turn flying = sky.limit.ask(1);
			Limiter.Turn waiting = sky.limit.ask(1);
			together(flying::leave, sky.alarm::run);
			check(waiting.ready().isDone(), "neither departed nor refused");
			waiting.leave();
			sky.checkNobodyIsThere();
		});
	}

	@Test
	void whoIsCancelledWhileAPlaceIsFreedLosesNone() {
		play(() -> {
			Sky sky = new Sky();
			Limiter.Turn flying = sky.limit.ask(1);
			Limiter.Turn waiting = sky.limit.ask(1);
			Limiter.Turn behind = sky.limit.ask(1);
			together(flying::leave, waiting::leave);
			check(behind.ready().isDone(), "left behind");
			behind.leave();
			sky.checkNobodyIsThere();
		});
	}

	@Test
	void flightsOfTheLimitBeforeCountOnce() {
		play(() -> {
			Sky sky = new Sky();
			Limiter.Turn flying = sky.limit.ask(1);
			Limiter.Turn waiting = sky.limit.ask(1);
			FlightLimit[] next = new FlightLimit[1];
			together(flying::leave, () -> next[0] = sky.follow());
			check(waiting.ready().isDone(), "left behind");
			check(!next[0].ask(1).ready().isDone(), "two at a time");
			waiting.leave();
			check(!next[0].isIdle(), "who waited has not departed");
		});
	}

	@Test
	void aPlaceThatIsTakenWithoutTheLockIsFound() {
		assertFaultIsFound(() -> {
			Unlocked limit = new Unlocked();
			AtomicInteger flying = new AtomicInteger();
			Part flight = () -> {
				CompletableFuture<Void> ready = limit.ask();
				ready.join();
				check(flying.incrementAndGet() == 1, "two at a time");
				flying.decrementAndGet();
				limit.leave();
			};
			together(flight, flight);
		});
	}

	/** One place, and alarms that ring when the scene says so. */
	private static final class Sky {

		private final AtomicInteger flying = new AtomicInteger();

		private final Deque<CompletableFuture<Void>> alarms = new ArrayDeque<>();

		private final FlightLimit limit = limit("one", null);

		private final Runnable alarm = () -> this.alarms.getFirst().complete(null);

		FlightLimit follow() {
			return limit("next", this.limit);
		}

		private FlightLimit limit(String name, FlightLimit before) {
			return new FlightLimit(new FlightBulkhead(name, 1), PATIENCE, () -> {
			}, () -> 0, (nanos) -> {
				CompletableFuture<Void> set = new CompletableFuture<>();
				this.alarms.add(set);
				return set;
			}, before);
		}

		void fly() {
			Limiter.Turn turn = this.limit.ask(1);
			turn.ready().join();
			check(this.flying.incrementAndGet() == 1, "two at a time");
			this.flying.decrementAndGet();
			turn.leave();
		}

		void checkNobodyIsThere() {
			check(this.limit.isIdle(), "a place is lost");
		}

	}

	/** As the limit is, without its lock around the look and the taking. */
	private static final class Unlocked {

		private final Deque<CompletableFuture<Void>> waiting = new ArrayDeque<>();

		private final AtomicInteger taken = new AtomicInteger();

		CompletableFuture<Void> ask() {
			if (this.taken.get() == 0) {
				this.taken.incrementAndGet();
				return CompletableFuture.completedFuture(null);
			}
			CompletableFuture<Void> ready = new CompletableFuture<>();
			synchronized (this.waiting) {
				this.waiting.add(ready);
			}
			return ready;
		}

		void leave() {
			CompletableFuture<Void> next;
			synchronized (this.waiting) {
				next = this.waiting.poll();
			}
			if (next != null) {
				next.complete(null);
			}
			else {
				this.taken.decrementAndGet();
			}
		}

	}

}
