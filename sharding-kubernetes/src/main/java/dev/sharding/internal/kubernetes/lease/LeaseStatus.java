package dev.sharding.internal.kubernetes.lease;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * How a {@link LeaseHolder} stands.
 *
 * @param phase what it is about
 * @param term the current term, present only if {@link Phase#HELD}
 * @param waitingFor the identity that holds the Lease, while it is somebody else's
 * @param failingSince wall time of the first of the failed calls since the last
 * successful one
 * @param lastError what the last failed call or the last loss said
 */
public record LeaseStatus(Phase phase, @Nullable LeaseTerm term, @Nullable String waitingFor,
		@Nullable Instant failingSince, @Nullable String lastError) {

	/**
	 * What a holder is about.
	 */
	public enum Phase {

		/** Not started, released or closed. */
		STOPPED,

		/** Tries to get the Lease, or waits until it may. */
		ACQUIRING,

		/** Holds the Lease and renews it. */
		HELD,

		/** Still holds the Lease, and is about to give it back. */
		RELEASING,

		/** Gave up. */
		FAILED

	}

}
