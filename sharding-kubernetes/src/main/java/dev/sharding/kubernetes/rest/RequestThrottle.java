package dev.sharding.kubernetes.rest;

import java.util.concurrent.CompletableFuture;

import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.Interceptor;
import org.jspecify.annotations.Nullable;

/**
 * Lets requests go now, later or not at all, and learns what they cost.
 */
@FunctionalInterface
public interface RequestThrottle {

	/** Lets everything go at once and learns nothing. */
	RequestThrottle NONE = (request, opensStream) -> null;

	/**
	 * Takes a request in, on the thread of its caller.
	 * @param request the request
	 * @param opensStream whether the answer is a stream, which is counted until it opens
	 * @return its passage, or {@code null} if it goes at once and nobody asks what it
	 * costs
	 */
	@Nullable Passage enter(ApiRequest request, boolean opensStream);

	/**
	 * What an HTTP client is tagged with, so that all {@link ApiRequests} over it pass
	 * the throttle.
	 *
	 * @param throttle the throttle
	 */
	record Tag(RequestThrottle throttle) {

		/**
		 * Whether a client is tagged.
		 * @param client the client
		 * @return whether its requests pass a throttle
		 */
		public static boolean isOn(HttpClient client) {
			return of(client) != NONE;
		}

		static RequestThrottle of(HttpClient client) {
			Tag tag = (client instanceof Interceptor.RequestTags tags) ? tags.getTag(Tag.class) : null;
			return (tag != null) ? tag.throttle : NONE;
		}

	}

	/** One request on its way through the throttle. */
	interface Passage {

		/**
		 * Completes when the request may be sent, on any thread, or fails with a
		 * {@link NotSentException}.
		 * @return the same future each time
		 */
		CompletableFuture<Void> admitted();

		/**
		 * Is told once how the request ended, also when it ended while it waited.
		 * @param answer the whole answer, or {@code null} if there is none or if it is a
		 * stream, which is open from now on
		 * @param failure why it failed, or {@code null}
		 */
		void ended(@Nullable ApiResponse answer, @Nullable Throwable failure);

	}

}
