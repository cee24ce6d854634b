package dev.sharding.kubernetes.rest;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;

import dev.sharding.kubernetes.rest.RequestThrottle.Passage;
import org.jspecify.annotations.Nullable;

/**
 * Threads for what follows a wait. Whoever ends the wait has something else to do: often
 * that is the one thread on which all timers of this JVM run, and sending may run the
 * application's own interceptors.
 */
final class SendThreads {

	private static final int THREADS = 8;

	private static final int IDLE_SECONDS = 10;

	private static final Executor EXECUTOR = executor();

	private SendThreads() {
	}

	/** Goes on at once if the passage need not wait, else on a thread of its own. */
	static void whenAdmitted(Passage passage, BiConsumer<? super @Nullable Void, ? super @Nullable Throwable> then) {
		CompletableFuture<Void> admitted = passage.admitted();
		if (admitted.isDone()) {
			admitted.whenComplete(then);
		}
		else {
			admitted.whenCompleteAsync(then, EXECUTOR);
		}
	}

	static void run(Runnable action) {
		EXECUTOR.execute(action);
	}

	private static Executor executor() {
		AtomicInteger number = new AtomicInteger();
		ThreadPoolExecutor executor = new ThreadPoolExecutor(THREADS, THREADS, IDLE_SECONDS, TimeUnit.SECONDS,
				new LinkedBlockingQueue<>(), (work) -> {
					Thread thread = new Thread(work, "sharding-send-" + number.incrementAndGet());
					thread.setDaemon(true);
					return thread;
				});
		executor.allowCoreThreadTimeOut(true);
		return executor;
	}

}
