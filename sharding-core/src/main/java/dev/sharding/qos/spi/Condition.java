package dev.sharding.qos.spi;

/**
 * What must hold for a rule to apply besides its selector.
 *
 * @param measure what is compared
 * @param threshold the condition holds above it, in the measure's unit
 */
public record Condition(Measure measure, double threshold) {

	/**
	 * Checks the condition.
	 * @throws IllegalArgumentException if the threshold is out of the measure's range
	 */
	public Condition {
		if (!(threshold >= 0 && threshold <= measure.largest())) {
			throw new IllegalArgumentException("The threshold of '%s' must be from 0 to %s %s (is %s)"
				.formatted(measure, measure.largest(), measure.unit(), threshold));
		}
	}

	/**
	 * Whether the condition holds. What is not known does not hold: what the first
	 * request of a shape will take is not known, and storage whose use is not known is
	 * not full.
	 * @param measures what is known about a request and the server
	 * @return whether the value is known and above the threshold
	 */
	public boolean holds(Measures measures) {
		return measures.value(this.measure) > this.threshold;
	}

}
