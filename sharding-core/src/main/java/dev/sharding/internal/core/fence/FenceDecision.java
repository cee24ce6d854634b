package dev.sharding.internal.core.fence;

import java.time.Duration;

/**
 * Whether a write may be sent.
 */
public sealed interface FenceDecision {

	/**
	 * Send it now. The answer is as old as the moment it was given.
	 */
	record Allowed() implements FenceDecision {
	}

	/**
	 * Do not send it, now or later.
	 *
	 * @param gate the gate that it does not pass
	 * @param late how long ago the right to send it ended; zero if it never began, or
	 * nobody knows when it ended
	 */
	record Refused(FenceGate gate, Duration late) implements FenceDecision {
	}

}
