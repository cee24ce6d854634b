package dev.sharding.internal.kubernetes.lease;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * The loop as a thread.
 */
final class ThreadLeaseLoop implements LeaseLoop, AutoCloseable {

	private final ScheduledThreadPoolExecutor executor;

	private @Nullable Future<?> wakeUp;

	ThreadLeaseLoop(ThreadFactory threads) {
		this.executor = new ScheduledThreadPoolExecutor(1, threads);
		this.executor.setRemoveOnCancelPolicy(true);
	}

	@Override
	public void execute(Runnable task) {
		this.executor.execute(task);
	}

	@Override
	public void wakeUpAfter(Duration delay, Runnable task) {
		if (this.wakeUp != null) {
			this.wakeUp.cancel(false);
			this.wakeUp = null;
		}
		if (!this.executor.isShutdown()) {
			this.wakeUp = this.executor.schedule(task, Math.max(0, delay.toNanos()), TimeUnit.NANOSECONDS);
		}
	}

	@Override
	public void close() {
		this.executor.shutdownNow();
	}

}
