package dev.sharding.josdk;

/**
 * An operator that cannot be sharded as it is.
 */
final class OperatorSetupException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final String action;

	/**
	 * Creates the failure.
	 * @param description what is wrong
	 * @param action what to do about it
	 */
	OperatorSetupException(String description, String action) {
		super(description);
		this.action = action;
	}

	String description() {
		return String.valueOf(getMessage());
	}

	String action() {
		return this.action;
	}

}
