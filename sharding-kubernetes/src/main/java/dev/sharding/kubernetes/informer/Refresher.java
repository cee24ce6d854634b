package dev.sharding.kubernetes.informer;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

import dev.sharding.core.version.ResourceVersions;
import dev.sharding.kubernetes.rest.ApiException;
import io.fabric8.kubernetes.api.model.HasMetadata;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a store provably as new as the API server: lists which objects there are in which
 * versions, and waits until the store has them. Whoever asks gets a list that was started
 * after they asked; those who ask meanwhile share the next one.
 *
 * @param <T> the class of the objects
 */
final class Refresher<T extends HasMetadata> {

	private static final Logger logger = LoggerFactory.getLogger(Informer.class);

	private final List<Reflector<T>> reflectors;

	private final InformerTimings timings;

	private final Executor afterHandlers;

	private final RandomGenerator random;

	private @Nullable CompletableFuture<Void> current;

	private @Nullable CompletableFuture<Void> next;

	private boolean closed;

	/**
	 * Creates the refresher.
	 * @param reflectors those that feed the store
	 * @param timings how patient to be
	 * @param afterHandlers runs a task after the handlers had all events so far
	 * @param random draws the jitter
	 */
	Refresher(List<Reflector<T>> reflectors, InformerTimings timings, Executor afterHandlers, RandomGenerator random) {
		this.reflectors = reflectors;
		this.timings = timings;
		this.afterHandlers = afterHandlers;
		this.random = random;
	}

	CompletableFuture<Void> refresh() {
		CompletableFuture<Void> flight;
		synchronized (this) {
			if (this.closed) {
				return CompletableFuture.failedFuture(new CancellationException("Informer is closed"));
			}
			if (this.current != null) {
				if (this.next == null) {
					this.next = new CompletableFuture<>();
				}
				return this.next.copy();
			}
			flight = new CompletableFuture<>();
			this.current = flight;
		}
		CompletableFuture<Void> copy = flight.copy();
		start(flight);
		return copy;
	}

	private void start(CompletableFuture<Void> flight) {
		flight.whenComplete((done, failure) -> landed());
		CompletableFuture<?>[] reached = this.reflectors.stream().map((reflector) -> {
			CompletableFuture<Void> part = new CompletableFuture<>();
			attempt(reflector, part, 1);
			flight.whenComplete((done, failure) -> part.cancel(false));
			return part;
		}).toArray(CompletableFuture[]::new);
		CompletableFuture.allOf(reached).thenRun(() -> this.afterHandlers.execute(() -> flight.complete(null)));
	}

	private void landed() {
		CompletableFuture<Void> flight;
		synchronized (this) {
			this.current = this.next;
			this.next = null;
			flight = this.current;
		}
		if (flight != null && !flight.isDone()) {
			start(flight);
		}
	}

	/*
	 * The probe costs next to nothing and often decides: when nothing was written to the
	 * API server that the watch has not told yet.
	 */
	private void attempt(Reflector<T> reflector, CompletableFuture<Void> reached, int attempt) {
		reflector.lister().presentVersion().whenComplete((present, failure) -> {
			if (failure == null && hasReached(reflector.part().watermark(), present)) {
				this.afterHandlers.execute(() -> reached.complete(null));
			}
			else {
				list(reflector, reached, attempt);
			}
		});
	}

	private static boolean hasReached(@Nullable String watermark, String present) {
		return watermark != null && ResourceVersions.isComparable(present)
				&& ResourceVersions.compare(watermark, present) != ResourceVersions.Order.BEFORE
				&& ResourceVersions.isComparable(watermark);
	}

	private void list(Reflector<T> reflector, CompletableFuture<Void> reached, int attempt) {
		if (reached.isDone()) {
			return;
		}
		reflector.lister().versions().whenComplete((versions, failure) -> {
			if (reached.isDone()) {
				return;
			}
			if (failure != null) {
				ApiException cause = ApiException.of(failure);
				logger.debug("Failed to refresh, trying again: namespace={} reason=\"{}\"",
						reflector.part().namespace(), cause.getMessage());
				later(pause(cause, attempt), () -> attempt(reflector, reached, attempt + 1));
			}
			else if (ResourceVersions.isComparable(versions.version())) {
				reflector.part()
					.expect(new Expectation(versions.version(), versions.objects(), () -> complete(reached)));
				watchOver(reflector, reached, false);
			}
			else {
				reflector.part().afterNextRelist(() -> complete(reached));
				reflector.relist();
			}
		});
	}

	/** Called under the store's lock, where nobody's callbacks may run. */
	private void complete(CompletableFuture<Void> reached) {
		this.afterHandlers.execute(() -> reached.complete(null));
	}

	private Duration pause(ApiException cause, int attempt) {
		Duration own = this.timings.retryAfter(attempt, this.random.nextDouble());
		Duration asked = cause.retryAfter();
		return (asked != null && asked.compareTo(own) > 0) ? asked : own;
	}

	/**
	 * Events that do not come may be stuck in the watch's connection, or in its server.
	 */
	private void watchOver(Reflector<T> reflector, CompletableFuture<Void> reached, boolean again) {
		CompletableFuture<Boolean> timer = new CompletableFuture<Boolean>().completeOnTimeout(true,
				this.timings.stall().toNanos(), TimeUnit.NANOSECONDS);
		// Cancelling would leave the timer in its queue until it is due, before Java 19.
		reached.whenComplete((done, failure) -> timer.complete(false));
		timer.thenAcceptAsync((due) -> {
			if (!due) {
				return;
			}
			if (!reached.isDone() && reflector.part().watermark() != null) {
				logger.info("Watch lags behind, {}: namespace={}", again ? "listing anew" : "opening it anew",
						reflector.part().namespace());
				if (again) {
					reflector.relist();
				}
				else {
					reflector.reopen();
				}
			}
			watchOver(reflector, reached, !again);
		});
	}

	private static void later(Duration delay, Runnable action) {
		CompletableFuture.delayedExecutor(delay.toNanos(), TimeUnit.NANOSECONDS).execute(action);
	}

	void close() {
		CompletableFuture<Void> first;
		CompletableFuture<Void> second;
		synchronized (this) {
			this.closed = true;
			first = this.current;
			second = this.next;
			this.next = null;
		}
		CancellationException reason = new CancellationException("Informer is closed");
		if (first != null) {
			first.completeExceptionally(reason);
		}
		if (second != null) {
			second.completeExceptionally(reason);
		}
	}

}
