package dev.sharding.internal.kubernetes.informer.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

import dev.sharding.client.ApiException;
import dev.sharding.internal.kubernetes.informer.SingleFlight;
import dev.sharding.internal.kubernetes.informer.InformerTimings;
import dev.sharding.internal.kubernetes.rest.RetryTime;
import org.jspecify.annotations.Nullable;

/**
 * Makes a store provably as new as the API server. Whoever asks gets an answer to a
 * question that was asked after they came; those who come meanwhile share the next one.
 */
public final class Refresher {

	/**
	 * How often the API server is asked before those who wait are told that it failed.
	 */
	private static final int ATTEMPTS = 3;

	private final List<? extends Upstream> upstreams;

	private final InformerTimings timings;

	private final Executor afterHandlers;

	private final Executor steps;

	private final RandomGenerator random;

	private final RetryTime retryTime = new RetryTime(System::nanoTime);

	private final SingleFlight<CatchUp> flights = new SingleFlight<>(() -> fly(null));

	/* Those who wait for a while after some failures. */
	private final Set<Runnable> paused = ConcurrentHashMap.newKeySet();

	private volatile boolean closed;

	/**
	 * Creates the refresher.
	 * @param upstreams what feeds the parts of the store
	 * @param timings how patient to be
	 * @param afterHandlers runs a task after the handlers had all events so far
	 * @param steps runs what follows from an answer: not on the thread that it came in on
	 * @param random draws the jitter
	 */
	public Refresher(List<? extends Upstream> upstreams, InformerTimings timings, Executor afterHandlers,
			Executor steps, RandomGenerator random) {
		this.upstreams = upstreams;
		this.timings = timings;
		this.afterHandlers = afterHandlers;
		this.steps = steps;
		this.random = random;
	}

	/** Fails after some attempts. */
	public CompletableFuture<CatchUp> catchUp() {
		return this.flights.join();
	}

	/** How long the API server wants to be left alone, or {@code null}. */
	public @Nullable Duration retryAfter() {
		return this.retryTime.left();
	}

	/**
	 * Tries until it succeeds, the caller gives up, or the informer is closed.
	 * @param failed is told why, each time that it goes on after some attempts
	 */
	public CompletableFuture<Void> refresh(Consumer<ApiException> failed) {
		CompletableFuture<Void> refreshed = new CompletableFuture<>();
		tryOn(refreshed, 1, failed);
		return refreshed;
	}

	private void tryOn(CompletableFuture<Void> refreshed, int round, Consumer<ApiException> failed) {
		CompletableFuture<CatchUp> seat = this.flights.join();
		refreshed.whenComplete((done, failure) -> seat.cancel(false));
		seat.whenComplete((how, failure) -> {
			if (failure == null) {
				refreshed.complete(null);
			}
			else if (this.closed) {
				// Wrapped, as nobody has cancelled this future itself.
				refreshed.completeExceptionally(new CompletionException(failure));
			}
			else if (!refreshed.isDone()) {
				goOnLater(pause(round * ATTEMPTS, asked(failure)), () -> tryOn(refreshed, round + 1, failed));
				failed.accept(ApiException.of(failure));
			}
		});
	}

	/**
	 * Asks on behalf of those who are there already.
	 * @param selection what they select, or {@code null} if they need the whole store
	 * @return cancel it when nobody waits any more
	 */
	CompletableFuture<CatchUp> fly(@Nullable Selection<?> selection) {
		CompletableFuture<CatchUp> landed = new CompletableFuture<>();
		List<CompletableFuture<CatchUp>> parts = new ArrayList<>();
		for (Upstream upstream : this.upstreams) {
			CompletableFuture<CatchUp> part = new CompletableFuture<>();
			parts.add(part);
			landed.whenComplete((how, failure) -> part.cancel(false));
			part.whenComplete((how, failure) -> {
				if (failure != null) {
					landed.completeExceptionally(failure);
				}
			});
		}
		CompletableFuture.allOf(parts.toArray(CompletableFuture<?>[]::new))
			.thenRun(() -> landed
				.complete(parts.stream().map(CompletableFuture::join).reduce(CatchUp.PROBE, CatchUp::and)));
		for (int i = 0; i < parts.size(); i++) {
			attempt(new PartFlight(this.upstreams.get(i), selection, this.timings, parts.get(i), this.afterHandlers,
					this.steps), 1);
		}
		return landed;
	}

	private void attempt(PartFlight flight, int attempt) {
		if (flight.isDone()) {
			// Nobody waits any more, or the watch has told.
			return;
		}
		flight.attempt(attempt == 1).whenComplete((done, failure) -> {
			if (failure == null) {
				this.retryTime.answered();
				wakePaused();
				return;
			}
			if (flight.isDone()) {
				return;
			}
			ApiException cause = ApiException.of(failure);
			Duration asked = this.retryTime.refused(cause);
			if (attempt == ATTEMPTS || isFarOff(asked)) {
				flight.fail(cause);
			}
			else {
				later(pause(attempt, asked), () -> attempt(flight, attempt + 1));
			}
		});
	}

	/** Whoever waits had better learn when to come again. */
	private boolean isFarOff(@Nullable Duration asked) {
		return asked != null && asked.compareTo(this.timings.answer()) >= 0;
	}

	/* An answer to somebody else may have made the time of the others void. */
	private @Nullable Duration asked(Throwable failure) {
		Duration own = ApiException.of(failure).retryAfter();
		Duration left = retryAfter();
		return (own == null || left != null && left.compareTo(own) > 0) ? left : own;
	}

	private Duration pause(int attempt, @Nullable Duration asked) {
		Duration own = this.timings.retryAfter(attempt, this.random.nextDouble());
		return (asked != null && asked.compareTo(own) > 0) ? asked : own;
	}

	/*
	 * After an outage the pause may be half a minute: whoever waits goes on as soon as
	 * somebody else had an answer, or a watch is open again.
	 */
	private void goOnLater(Duration delay, Runnable action) {
		this.paused.add(action);
		if (this.closed) {
			goOn(action);
			return;
		}
		later(delay, () -> goOn(action));
	}

	private void goOn(Runnable action) {
		if (this.paused.remove(action)) {
			action.run();
		}
	}

	/** The API server answers somebody else: who pauses goes on at once. */
	public void wakePaused() {
		for (Runnable action : this.paused) {
			this.steps.execute(() -> goOn(action));
		}
	}

	private void later(Duration delay, Runnable action) {
		CompletableFuture.delayedExecutor(delay.toNanos(), TimeUnit.NANOSECONDS, this.steps).execute(action);
	}

	/** Fails all who wait, those who pause as well, and all who come. */
	public void close() {
		this.closed = true;
		this.flights.close();
		wakePaused();
	}

}
