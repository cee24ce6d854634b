package dev.sharding.internal.kubernetes.informer.store;

import java.lang.ref.SoftReference;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;

import io.fabric8.kubernetes.api.model.HasMetadata;
import org.jspecify.annotations.Nullable;

import dev.sharding.internal.kubernetes.informer.CaughtUp;
import dev.sharding.internal.kubernetes.informer.SingleFlight;
import dev.sharding.internal.kubernetes.informer.wire.LabelQuery;

/**
 * Catches up on behalf of selectors: readers of one selector share flights, those of
 * different ones do not. Safe for use by many threads.
 *
 * @param <T> the class of the objects
 */
public final class SelectedCatchUps<T extends HasMetadata> implements AutoCloseable {

	/** So many small lists at a time; whoever comes then shares the large one. */
	static final int AT_A_TIME = 8;

	private final Refresher refresher;

	private final Store<T> store;

	private final Map<LabelQuery, Line<T>> lines = new HashMap<>();

	/**
	 * What flights have found last, by selector: those that were used last. Nobody hears
	 * when it is of no more use, and it may be all objects as they once were.
	 */
	private final Map<LabelQuery, SoftReference<Map<String, Selected<T>>>> found = new LinkedHashMap<>(16, 0.75f, true);

	private boolean closed;

	public SelectedCatchUps(Refresher refresher, Store<T> store) {
		this.refresher = refresher;
		this.store = store;
	}

	/**
	 * Joins the first flight for {@code query} that begins after this call.
	 * @return what it took; cancel it to wait no longer
	 */
	public CompletableFuture<CaughtUp<T>> catchUp(LabelQuery query) {
		Line<T> line = board(query);
		CompletableFuture<CaughtUp<T>> seat = (line != null) ? line.flights.join() : whole();
		if (line != null) {
			seat.whenComplete((result, failure) -> leave(query, line));
		}
		return seat;
	}

	private CompletableFuture<CaughtUp<T>> whole() {
		CompletableFuture<CatchUp> seat = this.refresher.catchUp();
		CompletableFuture<CaughtUp<T>> caughtUp = seat.thenApply((how) -> new CaughtUp<>(how, null));
		caughtUp.whenComplete((result, failure) -> seat.cancel(false));
		return caughtUp;
	}

	private CompletableFuture<CaughtUp<T>> fly(LabelQuery query) {
		Selection<T> selection = new Selection<>(query, this.store, lastFound(query));
		CompletableFuture<CatchUp> flight = this.refresher.fly(selection);
		CompletableFuture<CaughtUp<T>> caughtUp = flight.thenApply((how) -> {
			keep(query, selection.taken());
			return new CaughtUp<>(how, selection.result());
		});
		caughtUp.whenComplete((result, failure) -> flight.cancel(false));
		return caughtUp;
	}

	private synchronized Map<String, Selected<T>> lastFound(LabelQuery query) {
		SoftReference<Map<String, Selected<T>>> last = this.found.get(query);
		return (last != null) ? Objects.requireNonNullElse(last.get(), Map.of()) : Map.of();
	}

	private synchronized void keep(LabelQuery query, Map<String, Selected<T>> taken) {
		if (taken.isEmpty()) {
			// The store itself shows the present.
			this.found.remove(query);
			return;
		}
		this.found.put(query, new SoftReference<>(taken));
		if (this.found.size() > AT_A_TIME) {
			this.found.remove(this.found.keySet().iterator().next());
		}
	}

	private synchronized @Nullable Line<T> board(LabelQuery query) {
		Line<T> line = this.lines.get(query);
		if (line == null) {
			if (this.closed || this.lines.size() >= AT_A_TIME) {
				return null;
			}
			line = new Line<>(new SingleFlight<>(() -> fly(query)));
			this.lines.put(query, line);
		}
		line.passengers++;
		return line;
	}

	private synchronized void leave(LabelQuery query, Line<T> line) {
		line.passengers--;
		if (line.passengers == 0) {
			this.lines.remove(query, line);
		}
	}

	/** How many selectors somebody waits for. */
	synchronized int size() {
		return this.lines.size();
	}

	/** Fails all who wait, with a {@link CancellationException}. */
	@Override
	public void close() {
		Map<LabelQuery, Line<T>> open;
		synchronized (this) {
			this.closed = true;
			open = Map.copyOf(this.lines);
		}
		open.values().forEach((line) -> line.flights.close());
	}

	private static final class Line<S extends HasMetadata> {

		private final SingleFlight<CaughtUp<S>> flights;

		private int passengers;

		Line(SingleFlight<CaughtUp<S>> flights) {
			this.flights = flights;
		}

	}

}
