package dev.sharding.internal.core.slot;

import java.time.Duration;

import dev.sharding.internal.core.lease.LeaseRecord;
import dev.sharding.internal.core.lease.Moment;
import dev.sharding.internal.core.lease.ShardClaim;
import org.jspecify.annotations.Nullable;

/**
 * When a candidate may take a slot. The write names the version that was seen, so a
 * holder who has renewed meanwhile keeps its Lease; what has to be waited for is a holder
 * who believes in a renewal of before.
 */
public final class SlotTake {

	private SlotTake() {
	}

	/**
	 * Returns how long until a slot may be taken or made.
	 * @param view what was seen of it
	 * @param standby who asks
	 * @param now the current moment
	 * @return zero if it may be taken now; {@code null} if never as it stands
	 */
	public static @Nullable Duration untilTakeable(SlotView view, Standby standby, Moment now) {
		SlotLease lease = view.present();
		if (lease == null) {
			return hasEnded(view) && Boolean.FALSE.equals(view.labelled()) ? Duration.ZERO : left(view, standby, now);
		}
		if (!standby.ring().equals(lease.ring()) || !lease.isOfSlot()) {
			return null;
		}
		if (lease.isGivenBack() || standby.isHolder(lease.record())) {
			return Duration.ZERO;
		}
		return left(view, standby, now);
	}

	/**
	 * Tells whether a slot is new: there is nothing to take over.
	 * @param view what was seen of it
	 * @return {@code true} if there is no Lease, or the sharder has emptied it as it does
	 * when the objects have moved
	 */
	public static boolean isNew(SlotView view) {
		SlotLease lease = view.present();
		return lease == null || (ShardClaim.isGivenBack(lease.record()) && !lease.isGivenBack());
	}

	/**
	 * Tells whether the holder of a slot should have renewed its Lease by now, so that
	 * somebody may take it over soon.
	 * @param view what was seen of it
	 * @param now the current moment
	 * @return {@code true} if it was not renewed for two thirds of its duration
	 */
	public static boolean isOverdue(SlotView view, Moment now) {
		SlotLease lease = view.present();
		return lease != null && lease.isOurs() && lease.record().isHeldByItself()
				&& now.observedSince(view.since()).multipliedBy(3).compareTo(view.longest().multipliedBy(2)) >= 0;
	}

	/* Whether nobody can be at work with a Lease that is gone. */
	private static boolean hasEnded(SlotView view) {
		SlotLease last = view.lease();
		LeaseRecord record = (last != null) ? last.record() : null;
		return record == null || ShardClaim.isGivenBack(record);
	}

	private static Duration left(SlotView view, Standby standby, Moment now) {
		Duration acts = longer(view.longest(), standby.own());
		Duration silent = shorter(now.observedSince(view.since()), now.observedSince(standby.answeredSince()));
		Duration left = acts.minus(silent);
		return left.isNegative() ? Duration.ZERO : left;
	}

	private static Duration longer(Duration one, Duration other) {
		return (one.compareTo(other) > 0) ? one : other;
	}

	private static Duration shorter(Duration one, Duration other) {
		return (one.compareTo(other) < 0) ? one : other;
	}

}
