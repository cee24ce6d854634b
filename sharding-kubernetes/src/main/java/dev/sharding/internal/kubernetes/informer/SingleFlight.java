package dev.sharding.internal.kubernetes.informer;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import dev.sharding.internal.kubernetes.rest.CallContext;
import org.jspecify.annotations.Nullable;

/**
 * Single-flight: callers share a run of the work that begins after their call. One flight
 * is under way at a time; those who come meanwhile wait for the next. A flight that
 * everybody has left is called off, so that nobody waits behind it. A flight is on behalf
 * of whoever came first. Safe for use by many threads.
 *
 * @param <R> what the work gives
 */
public final class SingleFlight<R> implements AutoCloseable {

	private final Supplier<CompletableFuture<Void>> clearance;

	private final Supplier<CompletableFuture<R>> work;

	private @Nullable Flight<R> current;

	private @Nullable Flight<R> next;

	private boolean closed;

	/**
	 * Creates it without a flight.
	 * @param work begins the work of one flight; cancelling what it returns calls the
	 * work off
	 */
	public SingleFlight(Supplier<CompletableFuture<R>> work) {
		this(() -> CompletableFuture.completedFuture(null), work);
	}

	/**
	 * Creates it without a flight, with flights that wait before they begin. Who comes
	 * while one waits joins it.
	 * @param clearance completes when the next flight may begin; called when somebody
	 * waits for it, and cancelled when nobody does any more
	 * @param work begins the work of one flight; cancelling what it returns calls the
	 * work off
	 */
	public SingleFlight(Supplier<CompletableFuture<Void>> clearance, Supplier<CompletableFuture<R>> work) {
		this.clearance = clearance;
		this.work = work;
	}

	/**
	 * Joins the first flight that begins after this call.
	 * @return completes as the work does; to complete or cancel it first is to leave
	 */
	public CompletableFuture<R> join() {
		Flight<R> flight;
		boolean begins;
		synchronized (this) {
			if (this.closed) {
				return CompletableFuture.failedFuture(closing());
			}
			begins = this.current == null;
			flight = boarding();
			flight.passengers++;
		}
		CompletableFuture<R> seat = new CompletableFuture<>();
		flight.landing.whenComplete((result, failure) -> settle(seat, result, failure));
		seat.whenComplete((result, failure) -> leave(flight));
		if (begins) {
			begin(flight);
		}
		return seat;
	}

	private Flight<R> boarding() {
		if (this.current == null) {
			this.current = new Flight<>();
			return this.current;
		}
		if (!this.current.closed) {
			return this.current;
		}
		if (this.next == null) {
			this.next = new Flight<>();
		}
		return this.next;
	}

	private void begin(Flight<R> flight) {
		CompletableFuture<Void> cleared = flight.caller.call(() -> begun(this.clearance));
		flight.landing.whenComplete((result, failure) -> cleared.cancel(false));
		cleared.whenComplete((done, failure) -> {
			if (failure != null) {
				land(flight, null, failure);
			}
			else {
				depart(flight);
			}
		});
	}

	private void depart(Flight<R> flight) {
		synchronized (this) {
			flight.closed = true;
		}
		if (flight.landing.isDone()) {
			return;
		}
		CompletableFuture<R> begun = flight.caller.call(() -> begun(this.work));
		flight.landing.whenComplete((result, failure) -> begun.cancel(false));
		begun.whenComplete((result, failure) -> land(flight, result, failure));
	}

	private static <S> CompletableFuture<S> begun(Supplier<CompletableFuture<S>> task) {
		try {
			return task.get();
		}
		catch (RuntimeException | Error ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private void leave(Flight<R> flight) {
		boolean calledOff;
		synchronized (this) {
			flight.passengers--;
			calledOff = flight.passengers == 0 && !flight.landing.isDone();
			// Nobody may join what is about to end.
			flight.closed |= calledOff;
			if (calledOff && flight == this.next) {
				this.next = null;
			}
		}
		if (calledOff) {
			land(flight, null, new CancellationException("Nobody waits any more"));
		}
	}

	private void land(Flight<R> flight, @Nullable R result, @Nullable Throwable failure) {
		Flight<R> following = null;
		synchronized (this) {
			if (flight == this.current) {
				following = this.next;
				this.current = following;
				this.next = null;
			}
		}
		settle(flight.landing, result, failure);
		if (following != null) {
			begin(following);
		}
	}

	private static <R> void settle(CompletableFuture<R> future, @Nullable R result, @Nullable Throwable failure) {
		if (failure != null) {
			future.completeExceptionally(failure);
		}
		else {
			future.complete(result);
		}
	}

	/** Fails all who wait, and all who come. */
	@Override
	public void close() {
		Flight<R> first;
		Flight<R> second;
		synchronized (this) {
			this.closed = true;
			first = this.current;
			second = this.next;
			this.current = null;
			this.next = null;
		}
		if (first != null) {
			first.landing.completeExceptionally(closing());
		}
		if (second != null) {
			second.landing.completeExceptionally(closing());
		}
	}

	private static CancellationException closing() {
		return new CancellationException("Informer is closed");
	}

	private static final class Flight<R> {

		private final CompletableFuture<R> landing = new CompletableFuture<>();

		private final CallContext caller = CallContext.capture();

		private int passengers;

		/** Whether those who come now are too late for it. */
		private boolean closed;

	}

}
