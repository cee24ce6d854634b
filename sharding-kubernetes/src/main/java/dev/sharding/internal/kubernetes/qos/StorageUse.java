package dev.sharding.internal.kubernetes.qos;

import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How full the server's storage is: what its metric {@code apiserver_storage_size_bytes}
 * says, against a configured quota, 0 if it is not known. The metric is the size of the
 * file, which a compaction does not make smaller.
 */
final class StorageUse {

	/* The value may be followed by a time. */
	private static final Pattern SAMPLE = Pattern.compile(
			"apiserver_storage_size_bytes\\{[^}]*\\}\\s+(\\d{1,20}(?:\\.\\d{1,20})?(?:[eE][+-]?\\d{1,3})?)(?=\\s|$)");

	private final long quotaBytes;

	private final Duration staleAfter;

	private final LongSupplier nanoTime;

	private volatile long readAt;

	private volatile double bytes = Double.NaN;

	StorageUse(long quotaBytes, Duration staleAfter, LongSupplier nanoTime) {
		this.quotaBytes = quotaBytes;
		this.staleAfter = staleAfter;
		this.nanoTime = nanoTime;
	}

	void read(double size) {
		this.bytes = size;
		this.readAt = this.nanoTime.getAsLong();
	}

	/**
	 * From 0 to 1 or above; NaN if never read or too long ago, or if there is no quota,
	 * so that nothing is limited.
	 */
	double used() {
		boolean stale = this.nanoTime.getAsLong() - this.readAt > this.staleAfter.toNanos();
		return (stale || this.quotaBytes == 0) ? Double.NaN : this.bytes / this.quotaBytes;
	}

	/** Seconds since the size was read; NaN if it never was. */
	double ageSeconds() {
		return Double.isNaN(this.bytes) ? Double.NaN : (this.nanoTime.getAsLong() - this.readAt) / 1e9;
	}

	/**
	 * Reads the largest size of all storage clusters from the server's metrics page; NaN
	 * if it tells none.
	 */
	static double sizeIn(String metrics) {
		return metrics.lines()
			.map(SAMPLE::matcher)
			.filter(Matcher::lookingAt)
			.mapToDouble((sample) -> Double.parseDouble(sample.group(1)))
			.max()
			.orElse(Double.NaN);
	}

}
