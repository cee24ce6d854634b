package dev.sharding.core.qos;

/**
 * What is known about a request before it is sent, and about its server.
 */
@FunctionalInterface
public interface Measures {

	/**
	 * Returns a value.
	 * @param measure which
	 * @return the value in the measure's unit; {@link Double#NaN} if it is not known
	 */
	double value(Measure measure);

}
