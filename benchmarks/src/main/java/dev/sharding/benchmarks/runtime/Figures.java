package dev.sharding.benchmarks.runtime;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * What was measured of one program.
 *
 * @param start from the start of its process until all results were right
 * @param cpu CPU time until then
 * @param residentBytes RSS after the changes
 * @param liveHeapBytes live objects on its heap then
 * @param latencies of the changes, in nanoseconds, warm-up left out
 */
record Figures(Duration start, Duration cpu, long residentBytes, long liveHeapBytes, List<Long> latencies) {

	double millis(double share) {
		List<Long> sorted = this.latencies.stream().sorted().toList();
		long nanos = sorted.get((int) Math.ceil(share * sorted.size()) - 1);
		return nanos / (double) TimeUnit.MILLISECONDS.toNanos(1);
	}

	double cpuSeconds() {
		return this.cpu.toMillis() / 1000.0;
	}

	String json() {
		return String.format(Locale.ROOT,
				"{\"startMillis\":%d,\"cpuSeconds\":%.1f,\"rssMiB\":%d,\"heapMiB\":%.1f,\"p50Millis\":%.1f,"
						+ "\"p99Millis\":%.1f}",
				this.start.toMillis(), cpuSeconds(), this.residentBytes >> 20, this.liveHeapBytes / 1048576.0,
				millis(0.5), millis(0.99));
	}

}
