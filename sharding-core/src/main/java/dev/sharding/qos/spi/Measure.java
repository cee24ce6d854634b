package dev.sharding.qos.spi;

/**
 * What a condition compares with its threshold.
 */
public enum Measure {

	/**
	 * How many objects the server is predicted to read for the answer: with a selector
	 * all of the collection, without one no more than a page.
	 */
	PREDICTED_ITEMS("objects", Double.MAX_VALUE),

	/**
	 * How many objects the answer is predicted to hold at most if nothing that a selector
	 * names is left out: no more than a page.
	 */
	UNPAGED_ITEMS("objects", Double.MAX_VALUE),

	/** The size of the request's body. */
	REQUEST_SIZE("bytes", Double.MAX_VALUE),

	/** The predicted size of the answer. */
	RESPONSE_SIZE("bytes", Double.MAX_VALUE),

	/** The size of the body and the predicted size of the answer. */
	TOTAL_TRAFFIC("bytes", Double.MAX_VALUE),

	/** The predicted time to the last byte of the answer. */
	LATENCY("milliseconds", Double.MAX_VALUE),

	/** The share of requests of the same shape that failed lately. */
	FAILED_REQUESTS("as a share", 1),

	/** The used share of the server's storage quota. */
	STORAGE_USED("as a share", 1),

	/** The share of all requests that the server lately refused with 429 or 503. */
	SERVER_PRESSURE("as a share", 1);

	private final String unit;

	private final double largest;

	Measure(String unit, double largest) {
		this.unit = unit;
		this.largest = largest;
	}

	/**
	 * Returns the unit of values and thresholds, for messages.
	 * @return for example {@code bytes}
	 */
	public String unit() {
		return this.unit;
	}

	double largest() {
		return this.largest;
	}

}
