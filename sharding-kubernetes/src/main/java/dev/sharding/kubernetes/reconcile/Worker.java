package dev.sharding.kubernetes.reconcile;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

import io.fabric8.kubernetes.client.KubernetesClientException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

import dev.sharding.kubernetes.fence.WriteFencedException;
import dev.sharding.kubernetes.resource.ObjectKey;
import dev.sharding.kubernetes.rest.ApiException;
import dev.sharding.kubernetes.rest.RetryAfter;

/**
 * One thread of a controller: takes a key, works on it, gives it back. It can be
 * interrupted while it works, and only then: no interrupt leaks to the next key.
 */
final class Worker implements Runnable {

	private static final Logger logger = LoggerFactory.getLogger(Worker.class);

	private static final int CONFLICT = 409;

	/*
	 * No failure of the reconciler's: if the object is still ours, or is ours again, it
	 * is looked at afresh. Without a Lease the queue is emptied before.
	 */
	private static final Result AFTER_REFUSAL = Result.requeueAfter(Duration.ofSeconds(1));

	private final String controller;

	private final WorkQueue<ObjectKey> queue;

	private final Task task;

	private final Map<String, String> mdc;

	private final Object monitor = new Object();

	private @Nullable Thread working;

	Worker(String controller, WorkQueue<ObjectKey> queue, Task task, Map<String, String> mdc) {
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
				QueueItem<ObjectKey> item = this.queue.take();
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
				logger.error("Failed to give back a key controller={}", this.controller, ex);
			}
		}
	}

	private void work(QueueItem<ObjectKey> item) {
		Result result = null;
		Throwable failure = null;
		begin(item);
		try {
			result = item.abandoned ? Result.done() : this.task.run(item.key, item.trigger());
		}
		catch (Throwable ex) {
			failure = ex;
			if (WriteFencedException.isIn(ex)) {
				result = AFTER_REFUSAL;
				logger.debug("A write was refused controller={} key={} reason=\"{}\"", this.controller, item.key,
						ex.toString());
			}
		}
		boolean interrupted = end();
		if (result != null) {
			this.queue.finish(item, result);
		}
		else {
			boolean abandoned = item.abandoned;
			long delay = this.queue.finishFailed(item, askedToWait(failure));
			report(item, failure, delay, abandoned || interrupted);
		}
		this.mdc.keySet().forEach(MDC::remove);
		MDC.remove("controller");
		MDC.remove("key");
		MDC.remove("reconcileId");
	}

	private void begin(QueueItem<ObjectKey> item) {
		this.mdc.forEach(MDC::put);
		MDC.put("controller", this.controller);
		MDC.put("key", item.key.toString());
		MDC.put("reconcileId", Long.toHexString(ThreadLocalRandom.current().nextLong()));
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

	private void report(QueueItem<ObjectKey> item, @Nullable Throwable failure, long delay, boolean interrupted) {
		if (interrupted) {
			logger.debug("Interrupted controller={} key={}", this.controller, item.key, failure);
		}
		else if (isConflict(failure)) {
			logger.debug("Retrying after a conflict controller={} key={} failures={} retryInMillis={} reason=\"{}\"",
					this.controller, item.key, item.failures, delay / 1_000_000, String.valueOf(failure));
		}
		else if (item.failures <= 1) {
			logger.warn("Failed to reconcile controller={} key={} retryInMillis={}", this.controller, item.key,
					delay / 1_000_000, failure);
		}
		else {
			logger.warn("Failed to reconcile again controller={} key={} failures={} retryInMillis={} reason=\"{}\"",
					this.controller, item.key, item.failures, delay / 1_000_000, String.valueOf(failure));
		}
	}

	private static boolean isConflict(@Nullable Throwable failure) {
		return (failure instanceof ApiException refused && refused.status() == CONFLICT)
				|| (failure instanceof KubernetesClientException other && other.getCode() == CONFLICT);
	}

	private static long askedToWait(@Nullable Throwable failure) {
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			if (cause instanceof RetryAfter hint && hint.retryAfter() != null) {
				return hint.retryAfter().toNanos();
			}
		}
		return 0;
	}

	/**
	 * What a worker does with a key.
	 */
	@FunctionalInterface
	interface Task {

		Result run(ObjectKey key, Trigger trigger) throws Exception;

	}

}
