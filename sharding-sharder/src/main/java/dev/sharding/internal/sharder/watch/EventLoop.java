package dev.sharding.internal.sharder.watch;

import java.time.Duration;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Delayed;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs tasks one at a time, in order. A task that fails is logged and stops nothing;
 * after the end, tasks are ignored. May be used by any thread.
 */
public final class EventLoop implements Executor, AutoCloseable {

	private static final Logger log = LoggerFactory.getLogger(EventLoop.class);

	/* Those of this process, whoever made them: it is the process that is restarted. */
	private static final Set<EventLoop> OPEN = ConcurrentHashMap.newKeySet();

	private final String name;

	private final ScheduledThreadPoolExecutor executor;

	/* When the task that runs began, 0 while none does. */
	private final AtomicLong began = new AtomicLong();

	/**
	 * Creates a loop with a daemon thread of its own.
	 * @param name the name of the thread
	 */
	public EventLoop(String name) {
		this.executor = new ScheduledThreadPoolExecutor(1, (task) -> {
			Thread thread = new Thread(task, name);
			thread.setDaemon(true);
			return thread;
		});
		this.executor.setRemoveOnCancelPolicy(true);
		this.name = name;
		OPEN.add(this);
	}

	@Override
	public void execute(Runnable task) {
		schedule(task, Duration.ZERO);
	}

	/**
	 * Runs a task later.
	 * @param task the task
	 * @param delay the delay; zero or less means as soon as possible
	 * @return cancels the task; {@code null} if the loop has ended
	 */
	public @Nullable Future<?> schedule(Runnable task, Duration delay) {
		try {
			return this.executor.schedule(() -> guarded(task), Math.max(0, delay.toNanos()), TimeUnit.NANOSECONDS);
		}
		catch (RejectedExecutionException ex) {
			return null;
		}
	}

	/**
	 * Tells whether the loop has ended.
	 * @return whether it was closed
	 */
	public boolean isClosed() {
		return this.executor.isShutdown();
	}

	/**
	 * Finds the loops of this process on which nothing moves: a task does not end, or
	 * what is due does not begin.
	 * @param atLeast for how long
	 * @return for how long each of them has not moved, by name
	 */
	public static SortedMap<String, Duration> stuck(Duration atLeast) {
		SortedMap<String, Duration> stuck = new TreeMap<>();
		OPEN.forEach((loop) -> {
			Duration still = loop.still();
			if (still.compareTo(atLeast) >= 0) {
				stuck.put(loop.name, still);
			}
		});
		return stuck;
	}

	private Duration still() {
		long since = this.began.get();
		long running = (since != 0) ? System.nanoTime() - since : 0;
		long late = (this.executor.getQueue().peek() instanceof Delayed next) ? -next.getDelay(TimeUnit.NANOSECONDS)
				: 0;
		return Duration.ofNanos(Math.max(running, late));
	}

	/** Ends the loop: what runs is interrupted, what waits is dropped. */
	@Override
	public void close() {
		OPEN.remove(this);
		this.executor.shutdownNow();
	}

	private void guarded(Runnable task) {
		// Not 0, which stands for none.
		this.began.set(System.nanoTime() | 1);
		try {
			task.run();
		}
		catch (Throwable ex) {
			log.error("Failed to process an event, continuing with the next", ex);
		}
		finally {
			this.began.set(0);
		}
	}

}
