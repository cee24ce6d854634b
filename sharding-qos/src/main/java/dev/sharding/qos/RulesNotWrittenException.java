package dev.sharding.qos;

/**
 * A change of the rules that did not get into the ConfigMap. What is in force stays.
 */
final class RulesNotWrittenException extends RuntimeException {

	private static final long serialVersionUID = 1;

	private final boolean conflict;

	RulesNotWrittenException(boolean conflict, String message) {
		super(message);
		this.conflict = conflict;
	}

	/**
	 * Whether somebody else's change is in the way, rather than the API server.
	 * @return whether to look at the present rules before another attempt
	 */
	boolean isConflict() {
		return this.conflict;
	}

}
