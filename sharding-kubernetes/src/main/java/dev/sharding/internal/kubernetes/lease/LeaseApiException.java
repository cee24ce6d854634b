package dev.sharding.internal.kubernetes.lease;

import org.jspecify.annotations.Nullable;

/**
 * A call for a Lease that failed.
 */
final class LeaseApiException extends RuntimeException {

	private static final int NOT_FOUND = 404;

	private static final int CONFLICT = 409;

	private final int status;

	/**
	 * Creates the failure of one call.
	 * @param status the HTTP status, 0 if there was no answer
	 * @param reason what the answer or the connection said
	 * @param cause what the client threw
	 */
	LeaseApiException(int status, String reason, @Nullable Throwable cause) {
		super((status > 0) ? status + " " + reason : reason, cause);
		this.status = status;
	}

	int status() {
		return this.status;
	}

	boolean isNotFound() {
		return this.status == NOT_FOUND;
	}

	boolean isConflict() {
		return this.status == CONFLICT;
	}

}
