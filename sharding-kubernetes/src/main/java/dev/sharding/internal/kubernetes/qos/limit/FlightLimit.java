package dev.sharding.internal.kubernetes.qos.limit;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;

import dev.sharding.internal.core.qos.FlightTimes;
import dev.sharding.qos.spi.Limiter;
import io.github.resilience4j.bulkhead.Bulkhead;
import org.jspecify.annotations.Nullable;

/**
 * So many requests at a time: a Resilience4j bulkhead, with a queue in front that parks
 * no thread. First come, first served.
 */
final class FlightLimit implements Limiter {

	/** Alarms by the clock of the JVM. */
	static final LongFunction<CompletableFuture<Void>> ALARMS = (nanos) -> new CompletableFuture<Void>()
		.completeOnTimeout(null, nanos, TimeUnit.NANOSECONDS);

	private final FlightBulkhead bulkhead;

	private final Duration longestWait;

	private final Runnable forget;

	private final LongSupplier nanoTime;

	private final LongFunction<CompletableFuture<Void>> alarms;

	private final Deque<Flight> waiting = new ArrayDeque<>();

	/* Guarded by the queue: flights of limits before this one that are in the air. */
	private int inherited;

	/* Guarded by the queue: nothing departs before it. */
	private long heldUntil;

	/* Guarded by the queue. */
	private FlightTimes times;

	/* Guarded by the queue: who follows, and so counts the flights of this one. */
	private @Nullable FlightLimit successor;

	/**
	 * Creates a limit.
	 * @param forget takes it out of its registry
	 * @param alarms what completes after so many nanoseconds, unless it is cancelled
	 * @param before the one whose flights count, and whose hold goes on
	 */
	FlightLimit(FlightBulkhead bulkhead, Duration longestWait, Runnable forget, LongSupplier nanoTime,
			LongFunction<CompletableFuture<Void>> alarms, @Nullable FlightLimit before) {
		this.bulkhead = bulkhead;
		this.longestWait = longestWait;
		this.forget = forget;
		this.nanoTime = nanoTime;
		this.alarms = alarms;
		this.heldUntil = nanoTime.getAsLong();
		this.times = FlightTimes.from(this.heldUntil);
		if (before != null) {
			before.handOverTo(this);
		}
	}

	/* Locks are taken in the order of succession, here as elsewhere. */
	private void handOverTo(FlightLimit next) {
		synchronized (this.waiting) {
			Bulkhead.Metrics metrics = this.bulkhead.getMetrics();
			next.inherit(
					this.inherited + metrics.getMaxAllowedConcurrentCalls() - metrics.getAvailableConcurrentCalls());
			next.goOn(this.times, held());
			this.successor = next;
		}
	}

	private void goOn(FlightTimes known, long held) {
		synchronized (this.waiting) {
			this.times = known;
		}
		holdFor(held);
	}

	@Override
	public Turn ask(long cost) {
		synchronized (this.waiting) {
			if (this.waiting.isEmpty() && tryDepart()) {
				return new Flight(CompletableFuture.completedFuture(null), true);
			}
			if (this.longestWait.isZero() || held() > this.longestWait.toNanos()) {
				return TimedTurn.refused(retryAfter(), this.bulkhead::rejected);
			}
			Flight flight = new Flight(new CompletableFuture<>(), false);
			this.waiting.add(flight);
			flight.timer.whenComplete((expired, cancelled) -> {
				if (cancelled == null) {
					flight.refuse();
				}
			});
			return flight;
		}
	}

	@Override
	public void holdFor(long nanos) {
		FlightLimit next;
		synchronized (this.waiting) {
			next = this.successor;
			if (nanos > held()) {
				this.heldUntil = this.nanoTime.getAsLong() + nanos;
				this.alarms.apply(nanos).thenRun(this::departAll);
			}
		}
		if (next != null) {
			next.holdFor(nanos);
		}
	}

	@Override
	public boolean isIdle() {
		synchronized (this.waiting) {
			Bulkhead.Metrics metrics = this.bulkhead.getMetrics();
			return this.waiting.isEmpty() && this.inherited == 0 && held() == 0
					&& metrics.getAvailableConcurrentCalls() == metrics.getMaxAllowedConcurrentCalls();
		}
	}

	@Override
	public void retire() {
		this.forget.run();
	}

	/* Asked with the queue held. */
	private boolean tryDepart() {
		boolean departs = held() == 0 && hasPlace() && this.bulkhead.take();
		if (departs && this.successor != null) {
			this.successor.inherit(1);
		}
		return departs;
	}

	private boolean hasPlace() {
		return this.bulkhead.getMetrics().getAvailableConcurrentCalls() > this.inherited;
	}

	/* Asked with the queue held. */
	private long held() {
		return Math.max(0, this.heldUntil - this.nanoTime.getAsLong());
	}

	/* Asked with the queue held, by one who is not in it. */
	private long retryAfter() {
		int places = this.bulkhead.getMetrics().getMaxAllowedConcurrentCalls();
		long place = hasPlace() ? 1 : this.times.untilPlace(this.waiting.size(), places, this.nanoTime.getAsLong());
		return Math.max(held(), place);
	}

	private void inherit(int flights) {
		FlightLimit next;
		synchronized (this.waiting) {
			this.inherited += flights;
			next = this.successor;
		}
		if (flights < 0) {
			// Before the place is free for those behind, as they would take it, too.
			next();
		}
		if (next != null) {
			next.inherit(flights);
		}
	}

	private void departAll() {
		while (next()) {
			// One after another.
		}
	}

	private boolean next() {
		Flight flight = poll();
		if (flight != null) {
			// Outside the lock: this sends the request.
			this.bulkhead.permitted();
			flight.depart();
		}
		return flight != null;
	}

	private @Nullable Flight poll() {
		synchronized (this.waiting) {
			if (this.waiting.isEmpty() || !tryDepart()) {
				return null;
			}
			Flight flight = this.waiting.remove();
			flight.holding = true;
			flight.departedAt = this.nanoTime.getAsLong();
			return flight;
		}
	}

	/** One request that waits or flies. */
	private final class Flight implements Turn {

		private final CompletableFuture<Void> ready;

		private final CompletableFuture<Void> timer;

		private final AtomicBoolean left = new AtomicBoolean();

		/* Guarded by the queue. */
		private boolean holding;

		/* Guarded by the queue; of a flight that waits it says nothing. */
		private long departedAt;

		private final boolean atOnce;

		Flight(CompletableFuture<Void> ready, boolean atOnce) {
			this.ready = ready;
			this.atOnce = atOnce;
			this.holding = atOnce;
			this.departedAt = FlightLimit.this.nanoTime.getAsLong();
			this.timer = atOnce ? ready : FlightLimit.this.alarms.apply(FlightLimit.this.longestWait.toNanos());
		}

		void depart() {
			this.timer.cancel(false);
			this.ready.complete(null);
		}

		void refuse() {
			long retryAfter;
			synchronized (FlightLimit.this.waiting) {
				if (!FlightLimit.this.waiting.remove(this)) {
					return;
				}
				retryAfter = retryAfter();
			}
			FlightLimit.this.bulkhead.rejected();
			this.ready.completeExceptionally(new Refused(retryAfter));
		}

		@Override
		public CompletableFuture<Void> ready() {
			return this.ready;
		}

		/* Of one that waits it is told when it departs or is refused. */
		@Override
		public void announce() {
			if (this.atOnce) {
				FlightLimit.this.bulkhead.permitted();
			}
		}

		@Override
		public void leave() {
			if (!this.left.compareAndSet(false, true)) {
				return;
			}
			this.timer.cancel(false);
			boolean held;
			FlightLimit next;
			synchronized (FlightLimit.this.waiting) {
				held = this.holding;
				next = FlightLimit.this.successor;
				FlightLimit.this.waiting.remove(this);
				if (held) {
					FlightLimit.this.bulkhead.giveBack();
					FlightLimit.this.times = FlightLimit.this.times
						.ended(FlightLimit.this.nanoTime.getAsLong() - this.departedAt);
				}
			}
			if (!held) {
				// Whoever has given up has waited all the same.
				this.ready.cancel(false);
				return;
			}
			FlightLimit.this.bulkhead.finished();
			next();
			if (next != null) {
				next.inherit(-1);
			}
		}

	}

}
