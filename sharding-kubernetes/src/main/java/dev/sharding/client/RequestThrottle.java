package dev.sharding.client;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

import dev.sharding.internal.kubernetes.rest.http.ApiRequest;

/**
 * Lets requests go now, later or not at all, and learns what they cost.
 */
@FunctionalInterface
public interface RequestThrottle {

	/** Lets everything go at once and learns nothing. */
	RequestThrottle NONE = (request) -> null;

	/**
	 * Takes a request in, on the thread of its caller. When a client tries once more,
	 * that is another thread, whose logging context then names the caller's
	 * {@code controller}.
	 * @param request the request
	 * @return its passage, or {@code null} if it goes at once and nobody asks what it
	 * costs
	 */
	@Nullable Passage enter(ApiRequest request);

	/** One request on its way through the throttle. */
	interface Passage {

		/**
		 * Completes when the request may be sent, on any thread, or fails with a
		 * {@link NotSentException}.
		 * @return the same future each time
		 */
		CompletableFuture<Void> admitted();

		/**
		 * Is told what came of the answer, in order and before the request ended; nothing
		 * of a stream.
		 * @param chunk bytes of the body, to read now
		 */
		void received(ByteBuffer chunk);

		/**
		 * Is told once how the request ended, also when it ended while it waited. A
		 * stream ends here when it is open.
		 * @param failure why it failed, or {@code null}
		 */
		void ended(@Nullable Throwable failure);

	}

}
