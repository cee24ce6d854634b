package dev.sharding.benchmarks.cluster;

import java.util.Collection;
import java.util.Locale;

/**
 * What several runs gave.
 *
 * @param least the least of them
 * @param median the middle one; of an even number the mean of the two in the middle
 * @param most the most of them
 */
public record Spread(double least, double median, double most) {

	/** Of some values, at least one. */
	public static Spread of(Collection<Double> values) {
		double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
		int middle = sorted.length / 2;
		double median = (sorted.length % 2 == 1) ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
		return new Spread(sorted[0], median, sorted[sorted.length - 1]);
	}

	/** For people. */
	@Override
	public String toString() {
		return String.format(Locale.ROOT, "%.2f (%.2f to %.2f)", this.median, this.least, this.most);
	}

}
