package dev.sharding.benchmarks.consistentread;

import java.util.Arrays;
import java.util.Locale;

/**
 * What one kind of read took.
 *
 * @param millis each read, in order of size
 * @param seconds from the start of the first read to the end of the last
 * @param consumed in that time
 */
record Sample(double[] millis, double seconds, Consumed consumed) {

	Sample {
		Arrays.sort(millis);
	}

	double p50() {
		return quantile(0.5);
	}

	double p99() {
		return quantile(0.99);
	}

	private double quantile(double share) {
		return (this.millis.length == 0) ? Double.NaN
				: this.millis[Math.min(this.millis.length - 1, (int) (this.millis.length * share))];
	}

	double handledPerSecond() {
		return this.millis.length / this.seconds;
	}

	/** What a read consumed. */
	Consumed perRead() {
		return this.consumed.dividedBy(this.millis.length);
	}

	/** What was consumed in a second. */
	Consumed perSecond() {
		return this.consumed.dividedBy(this.seconds);
	}

	/** CPU time of API server and etcd beyond what they take without reads. */
	double serverMillisBeyond(Sample none) {
		return this.consumed.serverMillis() - none.perSecond().serverMillis() * this.seconds;
	}

	Sample and(Sample other) {
		double[] all = Arrays.copyOf(this.millis, this.millis.length + other.millis.length);
		System.arraycopy(other.millis, 0, all, this.millis.length, other.millis.length);
		return new Sample(all, this.seconds + other.seconds, this.consumed.plus(other.consumed));
	}

	@Override
	public String toString() {
		Consumed read = perRead();
		return String.format(Locale.ROOT,
				"p50 %8.1f ms  p99 %8.1f ms  %,12.0f bytes  CPU of client %6.1f ms, API server %6.1f ms, etcd %6.1f ms"
						+ "  (%d reads)",
				p50(), p99(), read.bytes(), read.clientMillis(), read.apiServerMillis(), read.etcdMillis(),
				this.millis.length);
	}

}
