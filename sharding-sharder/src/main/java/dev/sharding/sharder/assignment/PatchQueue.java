package dev.sharding.sharder.assignment;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * Keeps a bounded number of requests of one ring in flight, so that bulk moves run at the
 * pace of the API server. Objects without owner go before all others, so that a new
 * object does not wait behind a rebalance, and what was begun is ended before more is
 * begun. Calls are started by whoever submits or completes one; none is made while the
 * lock is held.
 */
final class PatchQueue {

	private final ReentrantLock lock = new ReentrantLock();

	private final Map<Priority, Deque<Call>> waiting = new EnumMap<>(Priority.class);

	private final InFlightLimit limit;

	private final LongSupplier nanoTime;

	private int inFlight;

	private boolean paused;

	private boolean closed;

	private final CompletableFuture<Void> ended = new CompletableFuture<>();

	PatchQueue(InFlightLimit limit, LongSupplier nanoTime) {
		this.limit = limit;
		this.nanoTime = nanoTime;
		for (Priority priority : Priority.values()) {
			this.waiting.put(priority, new ArrayDeque<>());
		}
	}

	/**
	 * Starts {@code call} when there is room.
	 * @param dropped is run instead if the call is dropped
	 */
	void submit(Priority priority, Supplier<CompletableFuture<?>> call, Runnable dropped) {
		boolean refused;
		this.lock.lock();
		try {
			refused = this.closed;
			if (!refused) {
				waiting(priority).add(new Call(call, dropped));
			}
		}
		finally {
			this.lock.unlock();
		}
		if (refused) {
			dropped.run();
		}
		else {
			startNext();
		}
	}

	/** The number of calls that wait or are in flight. */
	int size() {
		this.lock.lock();
		try {
			return this.inFlight + this.waiting.values().stream().mapToInt(Deque::size).sum();
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Starts nothing more until resumed: the API server wants to be left alone. */
	void pause() {
		this.lock.lock();
		try {
			this.paused = true;
		}
		finally {
			this.lock.unlock();
		}
	}

	void resume() {
		this.lock.lock();
		try {
			this.paused = false;
		}
		finally {
			this.lock.unlock();
		}
		startNext();
	}

	/** Drops what waits and is not urgent: a new pass judges those objects anew. */
	void dropNormal() {
		drop(EnumSet.of(Priority.NORMAL));
	}

	/**
	 * Drops everything that waits, and all that comes.
	 * @return completes when no call is in flight any more
	 */
	CompletableFuture<Void> close() {
		this.lock.lock();
		try {
			this.closed = true;
		}
		finally {
			this.lock.unlock();
		}
		if (drop(EnumSet.allOf(Priority.class))) {
			this.ended.complete(null);
		}
		return this.ended;
	}

	/* Tells whether nothing is in flight. */
	private boolean drop(Set<Priority> priorities) {
		List<Call> drops = new ArrayList<>();
		boolean idle;
		this.lock.lock();
		try {
			for (Priority priority : priorities) {
				drops.addAll(waiting(priority));
				waiting(priority).clear();
			}
			idle = this.inFlight == 0;
		}
		finally {
			this.lock.unlock();
		}
		drops.forEach((call) -> call.dropped.run());
		return idle;
	}

	private void startNext() {
		for (Call call = take(); call != null; call = take()) {
			CompletableFuture<?> running;
			long started = this.nanoTime.getAsLong();
			try {
				running = call.start.get();
			}
			catch (RuntimeException | Error ex) {
				running = CompletableFuture.failedFuture(ex);
			}
			// A call that is done already gave its room back before the next one is
			// taken, so that a thousand of them do not nest.
			if (running.isDone()) {
				giveBack();
			}
			else {
				running.whenComplete((result, failure) -> {
					answered(started);
					giveBack();
					startNext();
				});
			}
		}
	}

	private @Nullable Call take() {
		this.lock.lock();
		try {
			if (this.paused || this.inFlight >= this.limit.limit()) {
				return null;
			}
			for (Deque<Call> calls : this.waiting.values()) {
				Call call = calls.poll();
				if (call != null) {
					this.inFlight++;
					return call;
				}
			}
			return null;
		}
		finally {
			this.lock.unlock();
		}
	}

	private Deque<Call> waiting(Priority priority) {
		return Objects.requireNonNull(this.waiting.get(priority));
	}

	private void answered(long started) {
		this.lock.lock();
		try {
			this.limit.answered(this.nanoTime.getAsLong() - started);
		}
		finally {
			this.lock.unlock();
		}
	}

	private void giveBack() {
		boolean last;
		this.lock.lock();
		try {
			this.inFlight--;
			last = this.closed && this.inFlight == 0;
		}
		finally {
			this.lock.unlock();
		}
		if (last) {
			this.ended.complete(null);
		}
	}

	/**
	 * What goes first.
	 */
	enum Priority {

		/** The object has no owner, and nothing else has to be done before it has. */
		LAST_STEP,

		/** The object has no owner. */
		URGENT,

		/** The object has an owner, or is none that anybody reconciles. */
		NORMAL

	}

	private record Call(Supplier<CompletableFuture<?>> start, Runnable dropped) {
	}

}
