package dev.sharding.kubernetes.rest;

/**
 * A request that was not sent, because a {@link RequestGuard} refused it: nothing of it
 * has reached the API server.
 */
public class NotSentException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	/**
	 * Creates the refusal of one request.
	 * @param message operation, object, reason
	 */
	protected NotSentException(String message) {
		super(message);
	}

}
