package dev.sharding.internal.sharder.webhook;

/**
 * Thrown if a body is no AdmissionReview. It has no cause: what a parser says quotes the
 * body, which may hold secrets.
 */
final class MalformedReviewException extends Exception {

	private static final long serialVersionUID = 1L;

	MalformedReviewException(String message) {
		super("Malformed AdmissionReview: " + message, null, false, false);
	}

}
