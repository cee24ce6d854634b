package dev.sharding.internal.kubernetes.fence;

import java.util.Collection;

import org.jspecify.annotations.Nullable;

import dev.sharding.internal.core.fence.ClaimLaw;
import dev.sharding.internal.core.fence.ClaimLaw.Claimed;
import dev.sharding.internal.core.fence.FenceDecision;
import dev.sharding.internal.core.fence.LeaseGate;
import dev.sharding.internal.core.lease.Moment;
import dev.sharding.internal.kubernetes.lease.LeaseTerm;

/**
 * Decides whether a write may be sent. There is one law, {@link #CONTRACT}; another one
 * serves only to show, in a test, that it is the law that keeps shards apart. Called by
 * many threads, once or more for each write.
 */
public interface FenceLaw {

	/** The law of {@link LeaseGate} and {@link ClaimLaw}. */
	FenceLaw CONTRACT = new FenceLaw() {

		@Override
		public FenceDecision lease(@Nullable LeaseTerm term, Moment now) {
			return (term != null) ? LeaseGate.judge(term.renewed(), term.duration(), now) : LeaseGate.withoutLease();
		}

		@Override
		public FenceDecision object(@Nullable Claimed onBehalfOf, Collection<Claimed> concerned,
				boolean acknowledging) {
			return ClaimLaw.judge(onBehalfOf, concerned, acknowledging);
		}

	};

	/**
	 * The first gate.
	 * @param term the term of the Lease as of its last renewal, or {@code null} if the
	 * Lease is not held
	 * @param now the current moment on the clocks of the Lease
	 * @return the decision
	 */
	FenceDecision lease(@Nullable LeaseTerm term, Moment now);

	/**
	 * The second gate.
	 * @param onBehalfOf the claim for which the thread works, or {@code null}
	 * @param concerned the claims on the main objects that the write concerns
	 * @param acknowledging whether the thread acknowledges a drain
	 * @return the decision
	 */
	FenceDecision object(@Nullable Claimed onBehalfOf, Collection<Claimed> concerned, boolean acknowledging);

}
