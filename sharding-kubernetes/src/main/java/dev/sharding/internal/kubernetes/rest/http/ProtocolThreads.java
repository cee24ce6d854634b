package dev.sharding.internal.kubernetes.rest.http;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The threads for what follows from an answer of the API server: it takes locks and walks
 * over objects, so an event loop is no place for it, and it must go on while tasks of the
 * application block the common pool. Nothing waits here for an answer, and no future
 * completes here that the application may have hung something on that blocks.
 */
public final class ProtocolThreads {

	private static final int THREADS = Math.max(2, Math.min(4, Runtime.getRuntime().availableProcessors()));

	private static final long IDLE_SECONDS = 30;

	private static final AtomicLong made = new AtomicLong();

	/** Runs steps, never on the thread of the caller. */
	public static final Executor EXECUTOR = executor();

	private ProtocolThreads() {
	}

	/**
	 * Runs a step later.
	 * @param delay how much later
	 * @param step the step
	 */
	public static void later(Duration delay, Runnable step) {
		CompletableFuture.delayedExecutor(delay.toNanos(), TimeUnit.NANOSECONDS, EXECUTOR).execute(step);
	}

	private static Executor executor() {
		ThreadPoolExecutor executor = new ThreadPoolExecutor(THREADS, THREADS, IDLE_SECONDS, TimeUnit.SECONDS,
				new LinkedBlockingQueue<>(), (step) -> {
					Thread thread = new Thread(step, "sharding-protocol-" + made.incrementAndGet());
					thread.setDaemon(true);
					return thread;
				});
		executor.allowCoreThreadTimeOut(true);
		return executor;
	}

}
