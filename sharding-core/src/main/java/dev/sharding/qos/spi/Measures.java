package dev.sharding.qos.spi;

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

	/**
	 * Returns what the server spends on an object that it reads, as a share of what it
	 * spends on one that it returns as it is.
	 * @return 1 for a request whose answer holds all of them in full
	 */
	default double itemShare() {
		return 1;
	}

}
