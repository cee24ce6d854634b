package dev.sharding.internal.kubernetes.rest;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;

import dev.sharding.client.RequestThrottle.Passage;
import org.jspecify.annotations.Nullable;

/**
 * Threads for what follows a wait. Whoever ends the wait has something else to do: often
 * that is the one thread on which all timers of this JVM run, and sending may run the
 * application's own interceptors. What has expired never waits behind these.
 */
final class SendThreads {

	private static final int SENDING = 8;

	private static final int EXPIRING = 2;

	private static final int IDLE_SECONDS = 10;

	private static final Executor SENDERS = executor("sharding-send-", SENDING);

	private static final Executor EXPIRERS = executor("sharding-expire-", EXPIRING);

	private SendThreads() {
	}

	/** Goes on at once if the passage need not wait, else on a thread of its own. */
	static void whenAdmitted(Passage passage, BiConsumer<? super @Nullable Void, ? super @Nullable Throwable> then) {
		CompletableFuture<Void> admitted = passage.admitted();
		if (admitted.isDone()) {
			admitted.whenComplete(then);
		}
		else {
			admitted.whenCompleteAsync(then, SENDERS);
		}
	}

	/** Tells somebody that the time is over. */
	static void expire(Runnable action) {
		EXPIRERS.execute(action);
	}

	private static Executor executor(String name, int threads) {
		AtomicInteger number = new AtomicInteger();
		ThreadPoolExecutor executor = new ThreadPoolExecutor(threads, threads, IDLE_SECONDS, TimeUnit.SECONDS,
				new LinkedBlockingQueue<>(), (work) -> {
					Thread thread = new Thread(work, name + number.incrementAndGet());
					thread.setDaemon(true);
					return thread;
				});
		executor.allowCoreThreadTimeOut(true);
		return executor;
	}

}
