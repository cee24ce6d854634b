package dev.sharding.internal.kubernetes.rest.http;

import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import dev.sharding.client.NotSentException;

/**
 * Judges requests right before they are sent.
 */
@FunctionalInterface
public interface RequestGuard {

	/** Lets everything pass. */
	RequestGuard NONE = (request) -> null;

	/**
	 * Judges a request on the thread that sends it.
	 * @param request the request
	 * @return is run each time the body goes out, on a thread of the transport that must
	 * not be blocked: when a connection is there and before the first byte, also when the
	 * transport sends the request once more; it throws {@link NotSentException} to
	 * refuse. {@code null} if the request needs no further look
	 * @throws NotSentException to refuse it now
	 */
	@Nullable Runnable admit(ApiRequest request);

	/**
	 * Takes note of a request that it has admitted and that is about to be sent.
	 * @param request the request
	 * @return to be told, at least once, whether a status came for it or it is certain
	 * that it was never sent; the first one counts. Called on any thread, and must not
	 * block
	 */
	default Consumer<Boolean> sending(ApiRequest request) {
		return (known) -> {
		};
	}

}
