package dev.sharding.benchmarks.scale;

import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/** Sends many requests, some at a time. */
final class Flight {

	/** As many as the sharder has under way unless configured. */
	static final int CONCURRENT = 100;

	private Flight() {
	}

	/**
	 * Sends for each item, and returns when all are answered.
	 * @throws IllegalStateException if one failed
	 */
	static <T> void all(Collection<T> items, Function<T, CompletableFuture<?>> send) throws InterruptedException {
		Semaphore free = new Semaphore(CONCURRENT);
		AtomicReference<@Nullable Throwable> failed = new AtomicReference<>();
		for (T item : items) {
			free.acquire();
			Throwable failure = failed.get();
			if (failure != null) {
				throw new IllegalStateException("A request of the benchmark failed", failure);
			}
			send.apply(item).whenComplete((answer, thrown) -> {
				if (thrown != null) {
					failed.set(thrown);
				}
				free.release();
			});
		}
		free.acquire(CONCURRENT);
		Throwable failure = failed.get();
		if (failure != null) {
			throw new IllegalStateException("A request of the benchmark failed", failure);
		}
	}

}
