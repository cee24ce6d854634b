package dev.sharding.kubernetes.rest;

import org.jspecify.annotations.Nullable;

/**
 * Keeps back requests of somebody who may not act any more. Asked once for each request
 * other than GET, right before it is sent, by many threads; a request that it refuses
 * fails with status 0.
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

}
