package dev.sharding.internal.kubernetes.qos.limit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

import dev.sharding.qos.spi.Limiter;

import static org.assertj.core.api.Assertions.assertThat;

/** Max in flight under any order of asking, completing, failing, cancelling, changing. */
class FlightPropertyTests {

	private static final Duration PATIENCE = Duration.ofHours(1);

	private long nanos = Long.MAX_VALUE - 1_000;

	private final List<Limiter.Turn> open = new ArrayList<>();

	@Property(tries = 500)
	void neverMoreThanTheMaximumAndNeverIdleWhileSomeWait(@ForAll @IntRange(min = 1, max = 4) int max,
			@ForAll @Size(min = 1, max = 80) List<@IntRange(min = 0, max = 99) Integer> choices) {
		this.open.clear();
		FlightBulkhead bulkhead = new FlightBulkhead("test", max);
		FlightLimit limit = limit(bulkhead, null);
		for (int choice : choices) {
			this.nanos += choice;
			if (choice < 50 || this.open.isEmpty()) {
				this.open.add(limit.ask(1));
			}
			else {
				// One that flies completes or fails, one that waits gives up.
				Limiter.Turn gone = this.open.remove(choice % this.open.size());
				gone.leave();
				gone.leave();
			}
			assertThat(flying()).isEqualTo(Math.min(max, this.open.size()));
			// First come, first served.
			assertThat(this.open.subList(0, flying())).allMatch((turn) -> turn.ready().isDone());
		}
		this.open.forEach(Limiter.Turn::leave);
		assertThat(bulkhead.getMetrics().getAvailableConcurrentCalls()).isEqualTo(max);
		assertThat(limit.isIdle()).isTrue();
	}

	@Property(tries = 500)
	void changeOfTheMaximumLosesAndDoublesNoPlace(@ForAll @IntRange(min = 1, max = 4) int max,
			@ForAll @Size(min = 1, max = 80) List<@IntRange(min = 0, max = 99) Integer> choices) {
		this.open.clear();
		int largest = max;
		FlightBulkhead bulkhead = new FlightBulkhead("test", max);
		FlightLimit limit = limit(bulkhead, null);
		for (int choice : choices) {
			if (choice < 5) {
				int changed = 1 + choice;
				largest = Math.max(largest, changed);
				bulkhead = new FlightBulkhead("test", changed);
				limit = limit(bulkhead, limit);
			}
			else if (choice < 55 || this.open.isEmpty()) {
				int before = flying();
				Limiter.Turn turn = limit.ask(1);
				this.open.add(turn);
				int places = bulkhead.getMetrics().getMaxAllowedConcurrentCalls();
				assertThat(turn.ready().isDone() && before >= places).isFalse();
			}
			else {
				this.open.remove(choice % this.open.size()).leave();
			}
			assertThat(flying()).isLessThanOrEqualTo(largest);
		}
		while (!this.open.isEmpty()) {
			// Whoever waits under whichever of the limits comes to its turn.
			assertThat(flying()).isPositive();
			Limiter.Turn next = this.open.stream().filter((turn) -> turn.ready().isDone()).findFirst().orElseThrow();
			this.open.remove(next);
			next.leave();
		}
		assertThat(limit.isIdle()).isTrue();
	}

	private int flying() {
		return (int) this.open.stream().filter((turn) -> turn.ready().isDone()).count();
	}

	private FlightLimit limit(FlightBulkhead bulkhead, FlightLimit before) {
		return new FlightLimit(bulkhead, PATIENCE, () -> {
		}, () -> this.nanos, FlightLimit.ALARMS, before);
	}

}
