package dev.sharding.benchmarks.consistentread;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * Lists that begin at fixed times, whether or not the one before is through. A list that
 * would be one too many at a time is left out, so that a client that cannot keep up
 * handles fewer instead of running out of memory.
 *
 * @param rounds how often each kind of read has its turn
 * @param length of a turn
 * @param inFlight lists at a time at most
 */
record FixedRate(int rounds, Duration length, int inFlight) {

	/**
	 * Reads for one turn.
	 * @param read lists once, or {@code null} to look on for as long
	 * @param perSecond lists a second
	 * @param consumed what has been consumed until now
	 */
	Sample turn(@Nullable IntSupplier read, int perSecond, Supplier<Consumed> consumed) {
		Queue<Double> millis = new ConcurrentLinkedQueue<>();
		Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
		Semaphore free = new Semaphore(this.inFlight);
		Consumed before = consumed.get();
		long start = System.nanoTime();
		ExecutorService threads = Executors.newFixedThreadPool(this.inFlight);
		try {
			for (int i = 0; i < perSecond * this.length.toSeconds(); i++) {
				sleepUntil(start + i * TimeUnit.SECONDS.toNanos(1) / perSecond);
				if (read != null && free.tryAcquire()) {
					threads.execute(() -> {
						try {
							millis.add(timed(read));
						}
						catch (RuntimeException | Error ex) {
							failures.add(ex);
						}
						finally {
							free.release();
						}
					});
				}
			}
			sleepUntil(start + this.length.toNanos());
			free.acquireUninterruptibly(this.inFlight);
		}
		finally {
			threads.shutdownNow();
		}
		double seconds = (System.nanoTime() - start) / 1e9;
		Sample sample = new Sample(millis.stream().mapToDouble(Double::doubleValue).toArray(), seconds,
				consumed.get().minus(before));
		if (!failures.isEmpty()) {
			throw new IllegalStateException("%d lists failed".formatted(failures.size()), failures.peek());
		}
		return sample;
	}

	/** Milliseconds that a read takes. */
	static double timed(IntSupplier read) {
		long start = System.nanoTime();
		if (read.getAsInt() < 0) {
			throw new IllegalStateException("No list");
		}
		return (System.nanoTime() - start) / 1e6;
	}

	private static void sleepUntil(long nanos) {
		for (long left = nanos - System.nanoTime(); left > 0; left = nanos - System.nanoTime()) {
			LockSupport.parkNanos(left);
		}
	}

}
