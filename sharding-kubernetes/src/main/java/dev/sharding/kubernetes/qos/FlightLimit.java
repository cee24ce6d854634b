package dev.sharding.kubernetes.qos;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.resilience4j.bulkhead.Bulkhead;
import org.jspecify.annotations.Nullable;

/**
 * So many requests at a time: a Resilience4j bulkhead, with a queue in front that parks
 * no thread. First come, first served.
 */
final class FlightLimit implements Limiter {

	private final Bulkhead bulkhead;

	private final Duration longestWait;

	private final Runnable forget;

	private final Deque<Flight> waiting = new ArrayDeque<>();

	FlightLimit(Bulkhead bulkhead, Duration longestWait, Runnable forget) {
		this.bulkhead = bulkhead;
		this.longestWait = longestWait;
		this.forget = forget;
	}

	@Override
	public Turn ask(long cost) {
		synchronized (this.waiting) {
			if (this.waiting.isEmpty() && this.bulkhead.tryAcquirePermission()) {
				return new Flight(CompletableFuture.completedFuture(null), true);
			}
			if (this.longestWait.isZero()) {
				return TimedTurn.refused(TimeUnit.MILLISECONDS.toNanos(100));
			}
			Flight flight = new Flight(new CompletableFuture<>(), false);
			this.waiting.add(flight);
			flight.timer().whenComplete((expired, cancelled) -> {
				if (cancelled == null) {
					flight.refuse();
				}
			});
			return flight;
		}
	}

	@Override
	public void retire() {
		this.forget.run();
	}

	private void next() {
		Flight flight = poll();
		if (flight != null) {
			// Outside the lock: this sends the request.
			flight.depart();
		}
	}

	private @Nullable Flight poll() {
		synchronized (this.waiting) {
			if (this.waiting.isEmpty() || !this.bulkhead.tryAcquirePermission()) {
				return null;
			}
			Flight flight = this.waiting.remove();
			flight.holding = true;
			return flight;
		}
	}

	/** One request that waits or flies. */
	private final class Flight implements Turn {

		private final CompletableFuture<Void> ready;

		private final CompletableFuture<Void> timer = new CompletableFuture<>();

		private final AtomicBoolean left = new AtomicBoolean();

		/* Guarded by the queue. */
		private boolean holding;

		Flight(CompletableFuture<Void> ready, boolean holding) {
			this.ready = ready;
			this.holding = holding;
		}

		CompletableFuture<Void> timer() {
			return this.timer.completeOnTimeout(null, FlightLimit.this.longestWait.toNanos(), TimeUnit.NANOSECONDS);
		}

		void depart() {
			this.timer.cancel(false);
			this.ready.complete(null);
		}

		void refuse() {
			synchronized (FlightLimit.this.waiting) {
				if (!FlightLimit.this.waiting.remove(this)) {
					return;
				}
			}
			this.ready.completeExceptionally(new Refused(FlightLimit.this.longestWait.toNanos()));
		}

		@Override
		public CompletableFuture<Void> ready() {
			return this.ready;
		}

		@Override
		public void leave() {
			if (!this.left.compareAndSet(false, true)) {
				return;
			}
			this.timer.cancel(false);
			boolean held;
			synchronized (FlightLimit.this.waiting) {
				held = this.holding;
				FlightLimit.this.waiting.remove(this);
			}
			if (held) {
				FlightLimit.this.bulkhead.onComplete();
				next();
			}
		}

	}

}
