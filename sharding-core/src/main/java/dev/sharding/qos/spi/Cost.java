package dev.sharding.qos.spi;

/**
 * What one request takes from a limit. Predicted costs of a shape never seen are 1.
 */
public enum Cost {

	/** One, whatever the request is. */
	REQUESTS,

	/** One, for a shape of request that mostly fails; nothing otherwise. */
	FAILED_REQUESTS,

	/** The bytes of the body. */
	REQUEST_BYTES,

	/** The bytes of the body and those predicted for the answer. */
	TRAFFIC_BYTES,

	/**
	 * The objects that the server is predicted to read for the answer; of a list of their
	 * metadata a quarter of them.
	 */
	ITEMS,

	/** The milliseconds predicted for the answer. */
	WALL_TIME;

	/**
	 * Returns what a request costs.
	 * @param measures what is known about it
	 * @return the units, 0 or more
	 */
	public long of(Measures measures) {
		return switch (this) {
			case REQUESTS -> 1;
			case FAILED_REQUESTS -> measures.value(Measure.FAILED_REQUESTS) > 0.5 ? 1 : 0;
			case REQUEST_BYTES -> units(measures.value(Measure.REQUEST_SIZE));
			case TRAFFIC_BYTES -> units(measures.value(Measure.TOTAL_TRAFFIC));
			case ITEMS -> units(measures.value(Measure.PREDICTED_ITEMS) * measures.itemShare());
			case WALL_TIME -> units(measures.value(Measure.LATENCY));
		};
	}

	private static long units(double value) {
		return Double.isNaN(value) ? 1 : Math.max(0, Math.round(value));
	}

}
