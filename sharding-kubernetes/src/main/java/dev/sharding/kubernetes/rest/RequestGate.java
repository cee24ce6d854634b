package dev.sharding.kubernetes.rest;

import org.jspecify.annotations.Nullable;

/**
 * Keeps back requests of somebody who may not act any more. Asked for each request other
 * than GET, right before it is sent, by many threads; a request that it refuses fails
 * with a {@link NotSentException}.
 */
@FunctionalInterface
public interface RequestGate {

	/** Lets everything pass. */
	RequestGate OPEN = (request) -> null;

	/**
	 * Judges a request.
	 * @param request what is about to be sent
	 * @return why it must not be sent, or {@code null} if it may
	 */
	@Nullable String refusal(ApiRequest request);

	/**
	 * This gate as a guard.
	 * @return refuses what the gate refuses
	 */
	default RequestGuard asGuard() {
		return (request) -> {
			if ("GET".equals(request.method())) {
				return null;
			}
			Runnable permit = () -> {
				String refusal = refusal(request);
				if (refusal != null) {
					throw new NotSentException("Failed to %s: %s".formatted(request.description(), refusal));
				}
			};
			permit.run();
			return permit;
		};
	}

}
