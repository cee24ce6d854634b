package dev.sharding.internal.kubernetes.reconcile;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import dev.sharding.internal.kubernetes.rest.http.ProtocolThreads;

/**
 * One refresh for all who ask for one: those who ask while one is under way share the
 * next. That one begins after a pause of twice the time that the last one took, so that a
 * stream of arrivals keeps the API server busy with lists a third of the time at most.
 */
final class SharedRefresh implements Supplier<CompletableFuture<Void>> {

	private static final long SHORTEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(50);

	private static final long LONGEST_PAUSE = TimeUnit.SECONDS.toNanos(1);

	private final Supplier<CompletableFuture<Void>> refresh;

	private final LongSupplier nanos;

	private @Nullable CompletableFuture<Void> next;

	private boolean underWay;

	private long notBefore;

	/**
	 * Creates it.
	 * @param refresh begins a refresh
	 * @param nanos the monotonic clock
	 */
	SharedRefresh(Supplier<CompletableFuture<Void>> refresh, LongSupplier nanos) {
		this.refresh = refresh;
		this.nanos = nanos;
		this.notBefore = nanos.getAsLong();
	}

	/**
	 * Asks for a refresh.
	 * @return completes with a refresh that began after this call
	 */
	@Override
	public CompletableFuture<Void> get() {
		CompletableFuture<Void> asked;
		long pause;
		synchronized (this) {
			if (this.next != null) {
				return this.next;
			}
			asked = new CompletableFuture<>();
			this.next = asked;
			if (this.underWay) {
				return asked;
			}
			this.underWay = true;
			pause = this.notBefore - this.nanos.getAsLong();
		}
		begin(pause);
		return asked;
	}

	private void begin(long pause) {
		if (pause > 0) {
			ProtocolThreads.later(Duration.ofNanos(pause), this::begin);
		}
		else {
			begin();
		}
	}

	private void begin() {
		CompletableFuture<Void> flight;
		long begun = this.nanos.getAsLong();
		synchronized (this) {
			flight = this.next;
			this.next = null;
		}
		started().whenComplete((done, failure) -> {
			landed(begun);
			if (flight != null && failure != null) {
				flight.completeExceptionally(failure);
			}
			else if (flight != null) {
				flight.complete(null);
			}
		});
	}

	private CompletableFuture<Void> started() {
		try {
			return this.refresh.get();
		}
		catch (RuntimeException | Error ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private void landed(long begun) {
		long pause;
		synchronized (this) {
			long now = this.nanos.getAsLong();
			pause = Math.max(SHORTEST_PAUSE, Math.min(LONGEST_PAUSE, 2 * (now - begun)));
			this.notBefore = now + pause;
			if (this.next == null) {
				this.underWay = false;
				return;
			}
		}
		begin(pause);
	}

}
