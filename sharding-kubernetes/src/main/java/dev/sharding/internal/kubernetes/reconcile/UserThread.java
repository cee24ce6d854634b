package dev.sharding.internal.kubernetes.reconcile;

import java.time.Duration;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import dev.sharding.internal.kubernetes.usercode.UserCode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread on which the mappers and filters of one controller run, one after the other:
 * who blocks it holds up that controller, and nobody else. There is none before there is
 * something to run. Safe for use by many threads.
 */
final class UserThread implements AutoCloseable {

	/**
	 * How much may wait. Beyond it, what comes is dropped and all objects are looked at.
	 */
	static final int MOST = 20_000;

	private static final Logger logger = LoggerFactory.getLogger(Controller.class);

	private final String controller;

	private final Runnable lookAtAll;

	private final AtomicBoolean missed = new AtomicBoolean();

	private final ScheduledThreadPoolExecutor thread;

	/**
	 * Creates it.
	 * @param controller the name of the controller
	 * @param lookAtAll makes good for what was dropped, by what is known then
	 */
	UserThread(String controller, Runnable lookAtAll) {
		this.controller = controller;
		this.lookAtAll = lookAtAll;
		this.thread = new ScheduledThreadPoolExecutor(1, (task) -> {
			Thread made = new Thread(task, controller + "-events");
			made.setDaemon(true);
			return made;
		});
		this.thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
	}

	/** Runs a task after those before it. Returns at once. */
	void run(Runnable task) {
		if (this.thread.getQueue().size() < MOST) {
			submit(task, Duration.ZERO);
		}
		else if (lookAtAll()) {
			tellOfDrop();
		}
	}

	/**
	 * Runs a task later, unless there is too much to do.
	 * @return whether it will be run
	 */
	boolean runAfter(Duration delay, Runnable task) {
		boolean taken = this.thread.getQueue().size() < MOST / 2;
		if (taken) {
			submit(task, delay);
		}
		return taken;
	}

	/** Says that something is dropped, for which all objects are looked at. */
	void tellOfDrop() {
		logger.warn("Too far behind with events, will look at all objects controller={} behind={}", this.controller,
				this.thread.getQueue().size());
	}

	/**
	 * Has all objects looked at, soon.
	 * @return whether that is not to happen anyway
	 */
	boolean lookAtAll() {
		boolean first = this.missed.compareAndSet(false, true);
		if (first) {
			submit(() -> {
				this.missed.set(false);
				this.lookAtAll.run();
			}, Duration.ZERO);
		}
		return first;
	}

	/** Interrupts what runs and forgets the rest. Waits for nobody. */
	@Override
	public void close() {
		this.thread.shutdownNow();
	}

	/** Runs a task later, however much there is to do. */
	void submit(Runnable task, Duration delay) {
		try {
			this.thread.schedule(() -> {
				try {
					task.run();
				}
				catch (Throwable ex) {
					UserCode.warn(logger, "Failed to take note of an event controller={}", ex, this.controller);
				}
			}, delay.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (RejectedExecutionException ex) {
			logger.debug("Ignoring what happens after the stop controller={}", this.controller);
		}
	}

}
