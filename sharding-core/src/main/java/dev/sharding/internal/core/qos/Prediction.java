package dev.sharding.internal.core.qos;

/**
 * What requests of a shape cost lately: exponentially weighted means. They fade while
 * nothing is seen, so that a shape that was limited for what it once cost gets another
 * chance.
 *
 * @param items objects in the answer; {@link Double#NaN} if none was counted
 * @param responseBytes bytes of the answer; {@link Double#NaN} if all requests failed
 * @param latencyMillis milliseconds to the last byte
 * @param failures the share of failures, from 0 to 1
 * @param seenAtNanos when the last request ended, on the monotonic clock
 */
public record Prediction(double items, double responseBytes, double latencyMillis, double failures, long seenAtNanos) {

	private static final double WEIGHT = 0.3;

	/** After this time without a request a mean counts half. */
	private static final double HALF_LIFE_NANOS = 600e9;

	/**
	 * Returns the prediction after a first request.
	 * @param actual what it cost
	 * @param now the monotonic clock in nanoseconds
	 * @return the prediction
	 */
	public static Prediction first(ActualCost actual, long now) {
		// As in learn: what a failure answers is no answer of this shape.
		return actual.failed() ? new Prediction(Double.NaN, Double.NaN, actual.latencyMillis(), 1, now)
				: new Prediction(actual.items(), actual.responseBytes(), actual.latencyMillis(), 0, now);
	}

	/**
	 * Learns from one more request.
	 * @param actual what it cost
	 * @param now the monotonic clock in nanoseconds
	 * @return the prediction from now on
	 */
	public Prediction learn(ActualCost actual, long now) {
		Prediction faded = at(now);
		// A refused or broken request says nothing about what an answer costs.
		if (actual.failed()) {
			return new Prediction(faded.items, faded.responseBytes, faded.latencyMillis, mean(faded.failures, 1), now);
		}
		return new Prediction(mean(faded.items, actual.items()), mean(faded.responseBytes, actual.responseBytes()),
				mean(faded.latencyMillis, actual.latencyMillis()), mean(faded.failures, 0), now);
	}

	/**
	 * Returns what is left of the prediction.
	 * @param now the monotonic clock in nanoseconds
	 * @return the prediction with its means faded
	 */
	public Prediction at(long now) {
		double left = Math.pow(0.5, Math.max(0, now - this.seenAtNanos) / HALF_LIFE_NANOS);
		return new Prediction(this.items * left, this.responseBytes * left, this.latencyMillis * left,
				this.failures * left, this.seenAtNanos);
	}

	private static double mean(double before, double actual) {
		if (Double.isNaN(before)) {
			return actual;
		}
		return Double.isNaN(actual) ? before : before + WEIGHT * (actual - before);
	}

}
