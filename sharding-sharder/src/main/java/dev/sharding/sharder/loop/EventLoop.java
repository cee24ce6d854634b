package dev.sharding.sharder.loop;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs tasks one at a time, in order. A task that fails is logged and stops nothing;
 * after the end, tasks are ignored. May be used by any thread.
 */
public final class EventLoop implements Executor, AutoCloseable {

	private static final Logger log = LoggerFactory.getLogger(EventLoop.class);

	private final ScheduledThreadPoolExecutor executor;

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

	/** Ends the loop: what runs is interrupted, what waits is dropped. */
	@Override
	public void close() {
		this.executor.shutdownNow();
	}

	private static void guarded(Runnable task) {
		try {
			task.run();
		}
		catch (Throwable ex) {
			log.error("Failed to process an event, continuing with the next", ex);
		}
	}

}
