package dev.sharding.qos.spi;

/**
 * Who shares one limit.
 */
public enum Accounting {

	/** All requests that match the rule. */
	RULE,

	/** The requests of each caller by itself. */
	SUBJECT,

	/** The requests for each namespace by itself. */
	NAMESPACE;

	/**
	 * Returns the key of the group that a request is accounted to.
	 * @param request the request
	 * @return requests with the same key share one limit of the rule
	 */
	public String keyOf(QosRequest request) {
		return switch (this) {
			case RULE -> "";
			case SUBJECT -> request.caller().mostSpecific();
			case NAMESPACE -> request.target().namespace();
		};
	}

}
