package dev.sharding.client;

import dev.sharding.internal.core.Internal;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.internal.kubernetes.rest.http.RequestGuard;

/**
 * A request that was not sent, because a {@link RequestGuard} refused it, or what had to
 * let it pass failed: nothing of it has reached the API server.
 */
public class NotSentException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	/**
	 * Creates the refusal of one request.
	 * @param message operation, object, reason
	 */
	public NotSentException(String message) {
		super(message);
	}

	private NotSentException(String message, Throwable cause) {
		super(message, cause);
	}

	/** A request before whose sending something broke. */
	@Internal
	public static NotSentException because(ApiRequest request, Throwable broken) {
		return new NotSentException("Failed to %s: it was not sent, as %s was thrown before"
			.formatted(request.description(), ApiException.describe(broken)), broken);
	}

}
