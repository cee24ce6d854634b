package dev.sharding.internal.sharder.memory;

import java.time.Duration;

import dev.sharding.internal.sharder.memory.MemoryState.Level;

/**
 * Says when the heap is too full: at 85 % with live objects. Below that the JVM still
 * finds room for what comes and goes; above it, it collects all the time, until it gives
 * up. There is enough again when live objects take less than 70 % and some time has
 * passed, so that it does not swing: the sharder needs less because it works slowly.
 */
final class MemoryLaw {

	static final int NEAR_PERCENT = 85;

	static final int FINE_PERCENT = 70;

	static final Duration CALM = Duration.ofSeconds(30);

	private static final long MEBIBYTE = 1 << 20;

	/* Half of that is heap by the flags of the image, and 64 MiB are easy to read. */
	private static final long STEP = 64 * MEBIBYTE;

	/* With less of what the pod may have, somebody has set another bound. */
	private static final int LEAST_PERCENT_OF_POD = 20;

	private MemoryLaw() {
	}

	/**
	 * Returns the state after a look.
	 * @param before the state until then
	 * @param live bytes in use after the latest collection
	 * @param max bytes that may be in use; zero or less if there is no bound
	 * @param now the time of a monotonic clock, in nanoseconds
	 */
	static MemoryState next(MemoryState before, long live, long max, long now) {
		if (live >= near(max)) {
			return new MemoryState(Level.NEAR, live, max, now);
		}
		boolean isFine = !before.isShort()
				|| (live < part(max, FINE_PERCENT) && now - before.nearAt() >= CALM.toNanos());
		return new MemoryState(isFine ? Level.FINE : Level.EASING, live, max, before.nearAt());
	}

	/** From how many live bytes on it is near. */
	static long near(long max) {
		return (max > 0) ? part(max, NEAR_PERCENT) : Long.MAX_VALUE;
	}

	/**
	 * Says what to do about a heap that is too small. The text changes only with its
	 * arguments, which do not while a process lives: it is a condition of each ring.
	 * @param heap the bytes that the heap may grow to
	 * @param pod the bytes that the pod may have, or the machine
	 */
	static String advice(long heap, long pod) {
		String flag = "-Xmx from %d MiB to %d MiB".formatted(heap / MEBIBYTE, moreThan(heap) / MEBIBYTE);
		boolean followsThePod = heap >= part(pod, LEAST_PERCENT_OF_POD);
		String raise = followsThePod
				? "the memory limit of its pod from %d MiB to %d MiB, or, where the heap has a bound of its own, %s"
					.formatted(pod / MEBIBYTE, moreThan(pod) / MEBIBYTE, flag)
				: flag;
		return "The heap of the sharder is nearly full, so it works slowly. Raise %s".formatted(raise);
	}

	private static long moreThan(long bytes) {
		long half = bytes + bytes / 2;
		return (half + STEP - 1) / STEP * STEP;
	}

	private static long part(long bytes, int percent) {
		return bytes / 100 * percent;
	}

}
