package dev.sharding.qos.spi;

/**
 * Classes and rules that cannot be defined so. What was defined before stays.
 */
public final class InvalidQosException extends RuntimeException {

	private static final long serialVersionUID = 1;

	private final String offender;

	/**
	 * Creates the refusal.
	 * @param offender the name of the class or rule at fault
	 * @param message what is wrong with it
	 */
	public InvalidQosException(String offender, String message) {
		super(message);
		this.offender = offender;
	}

	/**
	 * Returns what is wrong.
	 * @return the name of the class or rule at fault
	 */
	public String offender() {
		return this.offender;
	}

}
