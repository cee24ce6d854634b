package dev.sharding.internal.kubernetes.reconcile;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

import dev.sharding.controller.Result;
import dev.sharding.controller.Trigger;
import dev.sharding.internal.kubernetes.reconcile.queue.QueueItem;
import dev.sharding.internal.kubernetes.reconcile.queue.Waits;
import dev.sharding.internal.kubernetes.reconcile.queue.WorkQueue;
import dev.sharding.resource.ObjectKey;

/**
 * One thread of a controller: takes a key, works on it, gives it back. It can be
 * interrupted while it works, and only then: no interrupt leaks to the next key. What the
 * API server has yet to answer is given back when it has; the thread goes on meanwhile.
 */
final class Worker implements Runnable {

	private static final Logger logger = LoggerFactory.getLogger(Worker.class);

	private static final CompletableFuture<Result> NOTHING = CompletableFuture.completedFuture(Result.done());

	private final String controller;

	private final WorkQueue<ObjectKey> queue;

	private final Task task;

	private final boolean drainsOnly;

	private final Unanswered unanswered;

	private final Supplier<Map<String, String>> mdc;

	private final Object monitor = new Object();

	private @Nullable Thread working;

	/**
	 * Creates a worker.
	 * @param controller the name of the controller
	 * @param queue gives keys
	 * @param task what is done with each
	 * @param drainsOnly whether it takes the most urgent keys only
	 * @param unanswered holds what the controller's workers do not wait for
	 * @param mdc tells what the log shows besides, always the same keys
	 */
	Worker(String controller, WorkQueue<ObjectKey> queue, Task task, boolean drainsOnly, Unanswered unanswered,
			Supplier<Map<String, String>> mdc) {
		this.drainsOnly = drainsOnly;
		this.unanswered = unanswered;
		this.controller = controller;
		this.queue = queue;
		this.task = task;
		this.mdc = mdc;
	}

	/** Interrupts the work that is going on, if any. */
	void interrupt() {
		synchronized (this.monitor) {
			if (this.working != null) {
				this.working.interrupt();
			}
		}
	}

	@Override
	public void run() {
		while (true) {
			try {
				QueueItem<ObjectKey> item = this.drainsOnly ? this.queue.takeUrgent() : this.queue.take();
				if (item == null) {
					return;
				}
				work(item);
			}
			catch (InterruptedException ex) {
				logger.debug("Ignoring an interrupt that came while nothing was worked on controller={}",
						this.controller);
			}
			catch (Throwable ex) {
				reportLost(ex);
			}
		}
	}

	private void work(QueueItem<ObjectKey> item) {
		String id = Long.toHexString(ThreadLocalRandom.current().nextLong());
		enter(item, id);
		try {
			begin();
			CompletableFuture<Result> outcome;
			try {
				outcome = item.abandoned ? NOTHING : this.task.run(item.key, item.trigger());
			}
			catch (Throwable ex) {
				fail(item, ex, end() || item.abandoned);
				return;
			}
			boolean later = !outcome.isDone();
			if (later) {
				// Whoever interrupts from here on finds it, or this thread at work.
				this.unanswered.add(outcome);
				this.queue.awaitAnswer(item);
			}
			boolean interrupted = end();
			if (later && interrupted) {
				outcome.cancel(true);
			}
			outcome.handle(later ? (result, thrown) -> finishLater(item, outcome, result, thrown, id)
					: (result, thrown) -> finish(item, result, thrown, interrupted));
		}
		finally {
			leave();
		}
	}

	/* On whatever thread it was done. */
	private boolean finishLater(QueueItem<ObjectKey> item, CompletableFuture<Result> outcome, @Nullable Result result,
			@Nullable Throwable thrown, String id) {
		this.unanswered.remove(outcome);
		Map<String, String> here = MDC.getCopyOfContextMap();
		enter(item, id);
		try {
			return finish(item, result, thrown, false);
		}
		finally {
			leave();
			if (here != null) {
				MDC.setContextMap(here);
			}
		}
	}

	/* Nobody would hear what it throws. */
	private boolean finish(QueueItem<ObjectKey> item, @Nullable Result result, @Nullable Throwable thrown,
			boolean interrupted) {
		try {
			if (thrown != null) {
				fail(item, thrown, item.abandoned || interrupted);
			}
			else {
				this.queue.finish(item, (result != null) ? result : Result.done());
			}
			return true;
		}
		catch (Throwable ex) {
			reportLost(ex);
			return false;
		}
	}

	private void reportLost(Throwable thrown) {
		logger.error("Failed to count or to report what came of a key controller={}", this.controller, thrown);
	}

	private void fail(QueueItem<ObjectKey> item, Throwable thrown, boolean stopped) {
		Failure failure = Failure.of(thrown);
		long delay = switch (failure.kind()) {
			case FENCED -> this.queue.finishRefused(item);
			case LIMITED -> this.queue.finishPutOff(item, failure.atLeast());
			case CONFLICT, ERROR -> this.queue.finishFailed(item, failure.atLeast());
		};
		tell(item, failure.kind(), thrown, delay / 1_000_000, stopped);
	}

	private void enter(QueueItem<ObjectKey> item, String id) {
		this.mdc.get().forEach(MDC::put);
		MDC.put("controller", this.controller);
		MDC.put("key", item.key.toString());
		MDC.put("reconcileId", id);
	}

	private void leave() {
		this.mdc.get().keySet().forEach(MDC::remove);
		MDC.remove("controller");
		MDC.remove("key");
		MDC.remove("reconcileId");
	}

	private void begin() {
		synchronized (this.monitor) {
			this.working = Thread.currentThread();
		}
	}

	private boolean end() {
		synchronized (this.monitor) {
			this.working = null;
			return Thread.interrupted();
		}
	}

	/* An exception of a user may fail when it is asked what it says. */
	private void tell(QueueItem<ObjectKey> item, Failure.Kind kind, Throwable thrown, long millis, boolean stopped) {
		try {
			report(item, kind, thrown, millis, stopped);
		}
		catch (Throwable ex) {
			logger.warn("Failed to reconcile controller={} key={} retryInMillis={}, and to say why: {} and then {}",
					this.controller, item.key, millis, thrown.getClass().getName(), ex.getClass().getName());
		}
	}

	private void report(QueueItem<ObjectKey> item, Failure.Kind kind, Throwable thrown, long millis, boolean stopped) {
		switch (kind) {
			case FENCED -> reportRefusal(item, thrown, millis);
			case LIMITED -> logger.debug("Told to wait controller={} key={} retryInMillis={} reason=\"{}\"",
					this.controller, item.key, millis, thrown.toString());
			case CONFLICT, ERROR -> {
				if (stopped) {
					logger.debug("Interrupted controller={} key={}", this.controller, item.key, thrown);
				}
				else if (kind == Failure.Kind.CONFLICT && item.failures < Waits.REFUSALS_TO_WARN) {
					logger.debug(
							"Retrying after a conflict controller={} key={} failures={} retryInMillis={} reason=\"{}\"",
							this.controller, item.key, item.failures, millis, thrown.toString());
				}
				else if (item.failures <= ((kind == Failure.Kind.CONFLICT) ? Waits.REFUSALS_TO_WARN : 1)) {
					logger.warn("Failed to reconcile controller={} key={} retryInMillis={}", this.controller, item.key,
							millis, thrown);
				}
				else {
					logger.warn(
							"Failed to reconcile again controller={} key={} failures={} retryInMillis={} reason=\"{}\"",
							this.controller, item.key, item.failures, millis, thrown.toString());
				}
			}
		}
	}

	/* Once is what a lost claim looks like. Again and again is a mistake of somebody. */
	private void reportRefusal(QueueItem<ObjectKey> item, Throwable thrown, long millis) {
		if (item.refusals == Waits.REFUSALS_TO_WARN) {
			logger
				.warn("Writes are refused again and again, although the object is ours controller={} key={} refusals={}"
						+ " retryInMillis={}", this.controller, item.key, item.refusals, millis, thrown);
		}
		else if (item.refusals > Waits.REFUSALS_TO_WARN) {
			logger.warn("A write was refused again controller={} key={} refusals={} retryInMillis={} reason=\"{}\"",
					this.controller, item.key, item.refusals, millis, thrown.toString());
		}
		else {
			logger.info("A write was refused controller={} key={} retryInMillis={} reason=\"{}\"", this.controller,
					item.key, millis, thrown.toString());
		}
	}

	/**
	 * What a worker does with a key.
	 */
	@FunctionalInterface
	interface Task {

		/** Works, until the API server is all that is waited for. */
		CompletableFuture<Result> run(ObjectKey key, Trigger trigger) throws Exception;

	}

}
