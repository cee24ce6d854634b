package dev.sharding.shard;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.sharding.internal.kubernetes.usercode.UserCode;

/**
 * Lets {@link ShardWork} follow the terms of a shard: whoever tells of a term returns at
 * once, and the work begins and ends on a thread of its own.
 */
final class WorkRunner {

	private static final Logger logger = LoggerFactory.getLogger(WorkRunner.class);

	private static final Duration AGAIN = Duration.ofSeconds(1);

	private static final long NO_TERM = 0;

	/** Begun badly: it ends before it begins again, in the same term too. */
	private static final long BROKEN = -1;

	private final ShardWork work;

	private final LongSupplier nanos;

	private final ScheduledExecutorService thread;

	/* Guarded by this, up to 'beginning'. */
	private long terms;

	private long wanted = NO_TERM;

	private boolean active;

	/** The term that 'begin' has returned in. */
	private long standing = NO_TERM;

	private @Nullable String problem;

	private @Nullable Thread beginning;

	/** The term that the work has begun in. Only for the thread. */
	private long begun = NO_TERM;

	WorkRunner(ShardWork work, LongSupplier nanos) {
		this.work = work;
		this.nanos = nanos;
		this.thread = Executors.newSingleThreadScheduledExecutor((task) -> {
			Thread made = new Thread(task, "sharding-work");
			made.setDaemon(true);
			return made;
		});
	}

	/** A term has begun. */
	synchronized void resume() {
		this.wanted = ++this.terms;
		wakeWithin(Duration.ZERO);
	}

	/** The term is over. */
	synchronized void suspend() {
		this.wanted = NO_TERM;
		if (this.beginning != null) {
			this.beginning.interrupt();
		}
		wakeWithin(Duration.ZERO);
	}

	/** Whether the work may be acting. */
	synchronized boolean isActive() {
		return this.active;
	}

	/** Whether the work has begun in the present term. */
	synchronized boolean hasBegun() {
		return this.wanted != NO_TERM && this.standing == this.wanted;
	}

	/**
	 * Why the work could not begin or end when that was last tried, {@code null} if it
	 * could, or if nobody wants it and it has ended.
	 */
	synchronized @Nullable String problem() {
		return (this.wanted != NO_TERM || this.active) ? this.problem : null;
	}

	/**
	 * Waits for the end of the work.
	 * @return whether nothing acts any more
	 */
	synchronized boolean awaitEnd(Duration patience) throws InterruptedException {
		long deadline = this.nanos.getAsLong() + patience.toNanos();
		while (this.active) {
			long left = deadline - this.nanos.getAsLong();
			if (left <= 0) {
				return false;
			}
			TimeUnit.NANOSECONDS.timedWait(this, left);
		}
		return true;
	}

	/** Interrupts what runs; nothing begins any more. */
	void close() {
		this.thread.shutdownNow();
	}

	private void wakeWithin(Duration delay) {
		try {
			this.thread.schedule(this::follow, delay.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (RejectedExecutionException ex) {
			logger.debug("Ignoring what happens after the stop");
		}
	}

	private void follow() {
		if (this.begun == wanted() || (this.begun != NO_TERM && !end())) {
			return;
		}
		long term = enter();
		if (term != NO_TERM) {
			begin(term);
		}
	}

	private synchronized long wanted() {
		return this.wanted;
	}

	/** From here on a lost term interrupts. */
	private synchronized long enter() {
		this.active = this.wanted != NO_TERM;
		this.beginning = this.active ? Thread.currentThread() : null;
		if (!this.active) {
			notifyAll();
		}
		return this.wanted;
	}

	private void begin(long term) {
		this.begun = term;
		try {
			this.work.begin();
			begun(term);
			if (this.thread.isShutdown()) {
				// It began although it was to stop, and nobody comes back to end it.
				leave();
				end();
			}
		}
		catch (Throwable ex) {
			UserCode.warn(logger, "Failed to begin the work of the shard, trying again work={}", ex, this.work);
			failed("begin", ex);
			leave();
			this.begun = BROKEN;
			if (end()) {
				wakeWithin(AGAIN);
			}
		}
		finally {
			leave();
		}
	}

	private synchronized void begun(long term) {
		this.standing = term;
		this.problem = null;
	}

	private synchronized void failed(String step, Throwable failure) {
		this.problem = "failed to %s: %s".formatted(step, UserCode.text(failure));
	}

	/* An interrupt that comes too late must not hit the end of the work. */
	private synchronized void leave() {
		this.beginning = null;
		Thread.interrupted();
	}

	private boolean end() {
		try {
			this.work.end();
		}
		catch (Throwable ex) {
			failed("end", ex);
			wakeWithin(AGAIN);
			UserCode.warn(logger, "Failed to end the work of the shard, trying again work={}", ex, this.work);
			return false;
		}
		this.begun = NO_TERM;
		synchronized (this) {
			this.active = false;
			notifyAll();
		}
		return true;
	}

}
