package dev.sharding.internal.core.fence;

import java.time.Duration;
import java.util.Collection;

import org.jspecify.annotations.Nullable;

import dev.sharding.internal.core.read.ResourceVersions;
import dev.sharding.internal.core.read.ResourceVersions.Order;

/**
 * The second gate: writes for an object need a live claim on it.
 */
public final class ClaimLaw {

	private ClaimLaw() {
	}

	/**
	 * Tells whether a claim begins with what is seen of an object. What is seen must not
	 * be older than the Lease term; the caller sees to that.
	 * @param ours whether the object carries our shard label
	 * @param version its resource version as seen
	 * @param letGoOf the resource version whose drain we have acknowledged, or
	 * {@code null}: as long as nothing newer is seen, the labels are those that we took
	 * off
	 * @return whether we have a claim from now on
	 */
	public static boolean begins(boolean ours, @Nullable String version, @Nullable String letGoOf) {
		return ours && (letGoOf == null || isSince(version, letGoOf));
	}

	/**
	 * Tells whether what is seen of an object is newer than what we let go of. That we
	 * may have seen in the answer to a write of ours, before the informers showed it.
	 * @param version the resource version as seen
	 * @param letGoOf the resource version whose drain we have acknowledged
	 * @return whether something has happened since; of versions that have no order,
	 * whether they differ
	 */
	public static boolean isSince(@Nullable String version, String letGoOf) {
		Order order = ResourceVersions.compare(version, letGoOf);
		return order == Order.AFTER || (order == Order.NOT_COMPARABLE && !letGoOf.equals(version));
	}

	/**
	 * Judges a write.
	 * @param onBehalfOf the claim for which the thread works, or {@code null} if it works
	 * for none
	 * @param concerned the claims on the main objects that the write concerns: the one
	 * that is written, or that owns what is written. Empty if it concerns none; an object
	 * with several owners is shared, so one live claim suffices
	 * @param acknowledging whether the thread acknowledges the drain of the object that
	 * it works for
	 * @return the decision
	 */
	public static FenceDecision judge(@Nullable Claimed onBehalfOf, Collection<Claimed> concerned,
			boolean acknowledging) {
		if (onBehalfOf != null && onBehalfOf.state() != needed(acknowledging)) {
			return refused(onBehalfOf);
		}
		if (acknowledging || concerned.isEmpty()) {
			return new FenceDecision.Allowed();
		}
		Claimed last = null;
		for (Claimed claim : concerned) {
			if (claim.state() == ClaimState.LIVE) {
				return new FenceDecision.Allowed();
			}
			last = (last == null || claim.endedFor().compareTo(last.endedFor()) < 0) ? claim : last;
		}
		return (last != null) ? refused(last) : new FenceDecision.Allowed();
	}

	private static ClaimState needed(boolean acknowledging) {
		return acknowledging ? ClaimState.LETTING_GO : ClaimState.LIVE;
	}

	private static FenceDecision refused(Claimed claim) {
		return new FenceDecision.Refused(FenceGate.OBJECT, claim.endedFor());
	}

	/**
	 * A claim at this moment.
	 *
	 * @param state how it stands
	 * @param endedFor how long it has not been live; zero if it is, never was, or nobody
	 * knows
	 */
	public record Claimed(ClaimState state, Duration endedFor) {

		/** A live claim. */
		public static final Claimed LIVE = new Claimed(ClaimState.LIVE, Duration.ZERO);

		/** No claim, and nothing known of an earlier one. */
		public static final Claimed NONE = new Claimed(ClaimState.ENDED, Duration.ZERO);

	}

}
