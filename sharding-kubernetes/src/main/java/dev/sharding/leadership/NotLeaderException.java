package dev.sharding.leadership;

import dev.sharding.internal.core.Internal;

/**
 * This process may not act as the leader any more, or does not yet. What it was about to
 * do is not to be tried again here: whoever is the leader does it.
 */
public final class NotLeaderException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	@Internal
	public NotLeaderException(String message) {
		super(message);
	}

}
