package dev.sharding.client;

import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

import org.jspecify.annotations.Nullable;

import dev.sharding.internal.core.Internal;

/**
 * A request that did not succeed: the API server refused it, or gave no answer.
 */
public final class ApiException extends RuntimeException implements RetryAfter {

	private static final long serialVersionUID = 1L;

	private static final int NOT_FOUND = 404;

	private static final int CONFLICT = 409;

	private static final int TOO_MANY_REQUESTS = 429;

	private static final int SERVER_ERROR = 500;

	private static final int UNAVAILABLE = 503;

	private final int status;

	private final String reason;

	private final @Nullable Duration retryAfter;

	private final String name;

	private final boolean withoutEffect;

	private final boolean denied;

	/**
	 * Creates the failure of one request.
	 * @param status the HTTP status, or 0 if no answer came
	 * @param reason the API server's word for it ("Conflict", "Expired"), or empty
	 * @param retryAfter how long the API server wants to be left alone, or {@code null}
	 * @param message operation, object, reason
	 * @param cause the failure below, or {@code null}
	 */
	public ApiException(int status, String reason, @Nullable Duration retryAfter, String message,
			@Nullable Throwable cause) {
		this(status, reason, retryAfter, "", status != 0 && status < SERVER_ERROR, false, message, cause);
	}

	/**
	 * Creates the failure of one request that was about one object.
	 * @param status the HTTP status, or 0 if no answer came
	 * @param reason the API server's word for it ("Conflict", "Expired"), or empty
	 * @param retryAfter how long the API server wants to be left alone, or {@code null}
	 * @param name the object that the API server named, or empty
	 * @param withoutEffect whether it is certain that nothing was changed
	 * @param denied whether these are the words of a webhook, about this one object
	 * @param message operation, object, reason
	 * @param cause the failure below, or {@code null}
	 */
	@Internal
	public ApiException(int status, String reason, @Nullable Duration retryAfter, String name, boolean withoutEffect,
			boolean denied, String message, @Nullable Throwable cause) {
		super(message, cause);
		this.name = name;
		this.withoutEffect = withoutEffect;
		this.denied = denied;
		this.status = status;
		this.reason = reason;
		this.retryAfter = retryAfter;
	}

	/**
	 * Creates the failure of a request without an answer.
	 * @param unsent whether it is certain that nothing of it went out, nor will
	 */
	@Internal
	public static ApiException unanswered(String message, @Nullable Throwable cause, boolean unsent) {
		return new ApiException(0, "", null, "", unsent, false, message, cause);
	}

	/**
	 * The HTTP status.
	 * @return the status, or 0 if no answer came: refused, cut, timed out. A write may
	 * then have happened or not
	 */
	public int status() {
		return this.status;
	}

	/**
	 * The API server's reason, such as {@code Conflict}, {@code NotFound} or
	 * {@code Expired}.
	 * @return the reason, or empty if it gave none
	 */
	public String reason() {
		return this.reason;
	}

	/**
	 * How long the API server wants to be left alone.
	 * @return the duration of the {@code Retry-After} header, or {@code null}
	 */
	@Override
	public @Nullable Duration retryAfter() {
		return this.retryAfter;
	}

	/**
	 * Tells whether there is no such object, or no such resource.
	 * @return whether the status is 404
	 */
	public boolean isNotFound() {
		return this.status == NOT_FOUND;
	}

	/**
	 * Tells whether the API server says that there is no object of this name. A 404
	 * without that may come from a proxy or a webhook, or mean that there is no such
	 * resource, which is so for a moment where a resource has just been defined, or its
	 * API server is about to start.
	 * @param object the name of the object that was asked for
	 * @return whether the object is absent
	 */
	public boolean isNotFound(String object) {
		return isNotFound() && !this.denied && this.reason.equals("NotFound") && this.name.equals(object);
	}

	/**
	 * Tells whether the API server says that somebody else has written the object, or
	 * made it, meanwhile. A webhook may deny a change with the same status, and an API
	 * server that is about to be ready asks to try again.
	 * @return whether the status is 409, no webhook says so, and no other time is named
	 */
	@Internal
	public boolean isConflict() {
		return this.status == CONFLICT && !this.denied && this.retryAfter == null;
	}

	/**
	 * Tells whether the API server is too busy for any request of this kind. It may want
	 * to be left alone with one object only, as when a webhook denies a change for now.
	 * @return whether the status is 429 or 503, the API server names no object, and no
	 * webhook says so
	 */
	public boolean isOverload() {
		return (this.status == TOO_MANY_REQUESTS || this.status == UNAVAILABLE) && this.name.isEmpty() && !this.denied;
	}

	/**
	 * Tells whether a webhook denied what was asked for, about this one object.
	 */
	@Internal
	public boolean isDenied() {
		return this.denied;
	}

	/**
	 * Tells whether the API server answered at all.
	 * @return {@code false} if the outcome of the request is unknown
	 */
	public boolean isAnswered() {
		return this.status != 0;
	}

	/**
	 * Tells whether it is certain that the API server has changed nothing: it refused the
	 * request before it did anything, or nothing of the request was ever sent.
	 * @return {@code false} if a write may have happened
	 */
	public boolean isWithoutEffect() {
		return this.withoutEffect;
	}

	/**
	 * Finds the failure of the request in what a future threw.
	 * @param thrown what was thrown
	 * @return the failure itself, or one of status 0 around {@code thrown}
	 */
	public static ApiException of(Throwable thrown) {
		Throwable cause = unwrap(thrown);
		if (cause instanceof ApiException exception) {
			return exception;
		}
		return new ApiException(0, "", null, describe(cause), cause);
	}

	@Internal
	public static Throwable unwrap(Throwable thrown) {
		Throwable current = thrown;
		while ((current instanceof CompletionException || current instanceof ExecutionException)
				&& current.getCause() != null) {
			current = current.getCause();
		}
		return current;
	}

	@Internal
	public static String describe(Throwable cause) {
		String message = cause.getMessage();
		return (message != null) ? cause.getClass().getSimpleName() + " (" + message + ")"
				: cause.getClass().getSimpleName();
	}

}
