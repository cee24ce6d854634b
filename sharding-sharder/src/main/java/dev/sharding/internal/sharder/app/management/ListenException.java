package dev.sharding.internal.sharder.app.management;

/**
 * A listener for health, metrics and other endpoints could not have its port.
 */
final class ListenException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final String property;

	private final int port;

	/**
	 * Creates an exception.
	 * @param property the property that names the port
	 * @param port the port
	 * @param cause why it could not be had
	 */
	ListenException(String property, int port, Throwable cause) {
		super("Failed to listen on port %d: %s".formatted(port, text(cause)), cause);
		this.property = property;
		this.port = port;
	}

	/* A time-out says nothing. */
	private static String text(Throwable cause) {
		String message = cause.getMessage();
		return (message != null) ? message : cause.toString();
	}

	String property() {
		return this.property;
	}

	int port() {
		return this.port;
	}

}
