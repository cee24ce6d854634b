package dev.sharding.benchmarks.consistentread;

import java.util.Arrays;
import java.util.Locale;

/**
 * What one kind of read took.
 *
 * @param millis each read, in order of size
 * @param bytes of answers, per read
 * @param clientCpuMillis of this process, per read
 * @param serverCpuMillis of the API server, per read
 */
record Sample(double[] millis, double bytes, double clientCpuMillis, double serverCpuMillis) {

	Sample {
		Arrays.sort(millis);
	}

	double p50() {
		return this.millis[this.millis.length / 2];
	}

	double p99() {
		return this.millis[Math.min(this.millis.length - 1, (int) (this.millis.length * 0.99))];
	}

	Sample and(Sample other) {
		double[] all = Arrays.copyOf(this.millis, this.millis.length + other.millis.length);
		System.arraycopy(other.millis, 0, all, this.millis.length, other.millis.length);
		double share = this.millis.length / (double) all.length;
		return new Sample(all, share * this.bytes + (1 - share) * other.bytes,
				share * this.clientCpuMillis + (1 - share) * other.clientCpuMillis,
				share * this.serverCpuMillis + (1 - share) * other.serverCpuMillis);
	}

	@Override
	public String toString() {
		return String.format(Locale.ROOT,
				"p50 %8.1f ms  p99 %8.1f ms  %,12.0f bytes  client %6.1f ms CPU  API server %6.1f ms CPU  (%d reads)",
				p50(), p99(), this.bytes, this.clientCpuMillis, this.serverCpuMillis, this.millis.length);
	}

}
