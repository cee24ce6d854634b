package dev.sharding.internal.sharder.assignment.placement;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import dev.sharding.internal.sharder.assignment.placement.PatchLanes.Flight;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a bounded number of requests of one ring in flight, so that bulk moves run at the
 * pace of the API server. Objects without owner go before all others, so that a new
 * object does not wait behind a rebalance, what was begun is ended before more is begun,
 * and what hangs is waited for apart. Calls are started by whoever submits or completes
 * one, or by a timer; none is made while the lock is held.
 */
public final class PatchQueue {

	private final ReentrantLock lock = new ReentrantLock();

	private final PatchLanes lanes;

	private final LongSupplier nanoTime;

	private final BiConsumer<Runnable, Duration> later;

	/* The timer runs. */
	private boolean looking;

	private int pauses;

	private boolean closed;

	private final CompletableFuture<Void> ended = new CompletableFuture<>();

	/**
	 * Creates a queue without calls.
	 * @param later runs a task after a while
	 */
	public PatchQueue(InFlightLimit limit, LongSupplier nanoTime, BiConsumer<Runnable, Duration> later) {
		this.lanes = new PatchLanes(limit);
		this.nanoTime = nanoTime;
		this.later = later;
	}

	/**
	 * Starts {@code call} when there is room.
	 * @param resource the resource of the object that it is about
	 * @param dropped is run instead if the call is dropped
	 */
	void submit(Priority priority, Object resource, Supplier<CompletableFuture<?>> call, Runnable dropped) {
		boolean refused;
		this.lock.lock();
		try {
			refused = this.closed;
			if (!refused) {
				this.lanes.add(priority, resource, new Call(call, dropped));
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
	public int size() {
		this.lock.lock();
		try {
			return this.lanes.size();
		}
		finally {
			this.lock.unlock();
		}
	}

	/** The number of calls in flight that have had no answer for long. */
	public int hanging() {
		this.lock.lock();
		try {
			return this.lanes.hanging(this.nanoTime.getAsLong());
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Starts nothing more until resumed as often as paused: the API server wants to be
	 * left alone, and of several times that it tells the longest counts.
	 */
	void pause() {
		this.lock.lock();
		try {
			this.pauses++;
		}
		finally {
			this.lock.unlock();
		}
	}

	void resume() {
		this.lock.lock();
		try {
			this.pauses--;
		}
		finally {
			this.lock.unlock();
		}
		startNext();
	}

	/** Drops what waits and is not urgent: a new pass judges those objects anew. */
	public void dropNormal() {
		drop(EnumSet.of(Priority.NORMAL));
	}

	/**
	 * Drops everything that waits, and all that comes.
	 * @return completes when no call is in flight any more
	 */
	public CompletableFuture<Void> close() {
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
		List<Call> drops;
		boolean idle;
		this.lock.lock();
		try {
			drops = this.lanes.drop(priorities);
			idle = this.lanes.isIdle();
		}
		finally {
			this.lock.unlock();
		}
		drops.forEach((call) -> call.dropped.run());
		return idle;
	}

	private void startNext() {
		for (Flight next = take(); next != null; next = take()) {
			Flight flight = next;
			CompletableFuture<?> running;
			try {
				running = flight.call().start.get();
			}
			catch (RuntimeException | Error ex) {
				running = CompletableFuture.failedFuture(ex);
			}
			// A call that is done already gave its room back before the next one is
			// taken, so that a thousand of them do not nest.
			if (running.isDone()) {
				giveBack(flight, false);
			}
			else {
				running.whenComplete((result, failure) -> {
					giveBack(flight, true);
					startNext();
				});
			}
		}
		lookLater();
	}

	private @Nullable Flight take() {
		this.lock.lock();
		try {
			return (this.pauses > 0) ? null : this.lanes.next(this.nanoTime.getAsLong());
		}
		finally {
			this.lock.unlock();
		}
	}

	/* If all that is in flight hangs, nobody else comes to start more. */
	private void lookLater() {
		Duration delay;
		this.lock.lock();
		try {
			delay = (this.looking || this.pauses > 0) ? null : this.lanes.untilOneHangs(this.nanoTime.getAsLong());
			this.looking |= delay != null;
		}
		finally {
			this.lock.unlock();
		}
		if (delay != null) {
			this.later.accept(this::look, delay);
		}
	}

	private void look() {
		this.lock.lock();
		try {
			this.looking = false;
		}
		finally {
			this.lock.unlock();
		}
		startNext();
	}

	private void giveBack(Flight flight, boolean asked) {
		boolean last;
		this.lock.lock();
		try {
			this.lanes.ended(flight, asked, this.nanoTime.getAsLong());
			last = this.closed && this.lanes.isIdle();
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
	public enum Priority {

		/** The object has no owner, and nothing else has to be done before it has. */
		LAST_STEP,

		/** The object has no owner. */
		URGENT,

		/** The object has no owner, and has had none for long; there may be many more. */
		BULK,

		/** The object has an owner, or is none that anybody reconciles. */
		NORMAL

	}

	/**
	 * What to do when its turn has come, and if it does not come.
	 */
	record Call(Supplier<CompletableFuture<?>> start, Runnable dropped) {
	}

}
