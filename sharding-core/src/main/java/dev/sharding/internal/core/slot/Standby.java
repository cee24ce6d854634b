package dev.sharding.internal.core.slot;

import java.time.Duration;
import java.util.Set;

import dev.sharding.internal.core.lease.LeaseRecord;
import dev.sharding.internal.core.lease.Moment;
import org.jspecify.annotations.Nullable;

/**
 * A candidate for a slot.
 *
 * @param ring the name of the ring
 * @param instanceId tells the process from others
 * @param own the duration that it writes itself
 * @param slotWait how long it waits for a slot that somebody held before it opens one
 * @param template the hash of its pod template, {@code null} if it does not know it
 * @param since since when it has been standing by
 * @param answeredSince since when its reads of the Leases have been answered without a
 * gap
 * @param honoured whether the sharder leaves slots to their next holder, see
 * {@link SharderMark}
 * @param avoided numbers of slots that it leaves alone for now, as it could not serve
 * them
 */
public record Standby(String ring, String instanceId, Duration own, Duration slotWait, @Nullable String template,
		Moment since, Moment answeredSince, boolean honoured, Set<Integer> avoided) {

	/**
	 * Copies the numbers.
	 */
	public Standby {
		avoided = Set.copyOf(avoided);
	}

	/** Whether this very process holds a Lease, such as by a write without an answer. */
	boolean isHolder(LeaseRecord lease) {
		return lease.isHeldByItself() && this.instanceId.equals(lease.instanceId());
	}

}
