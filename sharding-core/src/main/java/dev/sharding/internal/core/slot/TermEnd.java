package dev.sharding.internal.core.slot;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * How a holder that stops leaves its Lease.
 */
public enum TermEnd {

	/** Give it back with the mark: whoever comes may act at once. */
	GIVE_BACK,

	/** The same, but whoever comes touches the objects before it acts. */
	GIVE_BACK_TO_TOUCH,

	/** Take the holder off: the sharder moves the objects at once. */
	RELEASE,

	/** Do nothing more: the Lease runs out. */
	RUN_OUT;

	/**
	 * Decides how to leave the Lease, when no reconcile runs any more and all claims have
	 * ended. A write whose answer did not come may take effect later, which a next holder
	 * that has not written itself could not tell from the write of somebody else. A touch
	 * refuses it, however late it is, unless it names no version, as a create does. For
	 * those there is time to arrive, as much as when a holder dies: one Lease.
	 * @param waitedFor whether the next holder takes the objects over as they are: the
	 * shard is a slot, or has a grace
	 * @param unanswered for how long nobody has waited any more for an answer that did
	 * not come, the shortest time of all such writes, zero while somebody waits;
	 * {@code null} if each write was answered or never sent
	 * @param lease how long the Lease lasts
	 * @return the end
	 */
	public static TermEnd of(boolean waitedFor, @Nullable Duration unanswered, Duration lease) {
		if (!waitedFor) {
			// The sharder writes each object before somebody else has it.
			return RELEASE;
		}
		if (unanswered == null) {
			return GIVE_BACK;
		}
		return (unanswered.compareTo(lease) < 0) ? RUN_OUT : GIVE_BACK_TO_TOUCH;
	}

}
