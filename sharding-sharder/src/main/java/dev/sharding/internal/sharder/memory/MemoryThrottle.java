package dev.sharding.internal.sharder.memory;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * Makes the sharder work slowly while memory is short: less is under way of what takes
 * memory, in all rings together where that is possible. Something always is under way, so
 * that all gets done. Safe for use by any thread.
 */
public final class MemoryThrottle {

	private static final int LESS = 8;

	private final MemoryPressure pressure;

	private final ReentrantLock lock = new ReentrantLock();

	private final Queue<Runnable> waiting = new ArrayDeque<>();

	private int running;

	/**
	 * Creates a throttle.
	 * @param pressure tells when memory is short
	 */
	public MemoryThrottle(MemoryPressure pressure) {
		this.pressure = pressure;
	}

	/**
	 * Returns how much may be under way at a time now.
	 * @param usual how much it is while there is enough memory, at least one
	 * @return that much or less, at least one
	 */
	public int atMost(int usual) {
		return this.pressure.state().isShort() ? Math.max(1, usual / LESS) : usual;
	}

	/**
	 * Starts some work at once, or, while memory is short, when no other work that came
	 * here is under way.
	 * @param work must not wait for other work that comes here
	 * @return completes as the work does
	 */
	public <T> CompletableFuture<T> inTurn(Supplier<CompletableFuture<T>> work) {
		CompletableFuture<T> done = new CompletableFuture<>();
		this.lock.lock();
		try {
			this.waiting.add(() -> start(work, done));
		}
		finally {
			this.lock.unlock();
		}
		startNext();
		return done;
	}

	/**
	 * Says that memory may be sufficient again: what waits starts, without regard to what
	 * is under way. Changes nothing while memory is short.
	 */
	public void pressureChanged() {
		startNext();
	}

	private <T> void start(Supplier<CompletableFuture<T>> work, CompletableFuture<T> done) {
		CompletableFuture<T> started;
		try {
			started = work.get();
		}
		catch (RuntimeException | Error ex) {
			started = CompletableFuture.failedFuture(ex);
		}
		started.whenComplete((result, failure) -> {
			ended();
			if (failure != null) {
				done.completeExceptionally(failure);
			}
			else {
				done.complete(result);
			}
		});
	}

	private void ended() {
		this.lock.lock();
		try {
			this.running--;
		}
		finally {
			this.lock.unlock();
		}
		startNext();
	}

	private void startNext() {
		for (Runnable next = take(); next != null; next = take()) {
			next.run();
		}
	}

	private @Nullable Runnable take() {
		boolean oneByOne = this.pressure.state().isShort();
		this.lock.lock();
		try {
			if (oneByOne && this.running > 0) {
				return null;
			}
			Runnable next = this.waiting.poll();
			this.running += (next != null) ? 1 : 0;
			return next;
		}
		finally {
			this.lock.unlock();
		}
	}

}
