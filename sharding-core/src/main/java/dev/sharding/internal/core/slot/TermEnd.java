package dev.sharding.internal.core.slot;

/**
 * How a holder that stops leaves its Lease.
 */
public enum TermEnd {

	/** Give it back with the mark: whoever comes may act at once. */
	GIVE_BACK,

	/** Take the holder off: the sharder moves the objects at once. */
	RELEASE,

	/** Do nothing more: the Lease runs out. */
	RUN_OUT;

	/**
	 * Decides how to leave the Lease, when no reconcile runs any more and all claims have
	 * ended. A write whose answer did not come may take effect later, which a next holder
	 * that has not written itself could not tell from the write of somebody else.
	 * @param waitedFor whether the next holder takes the objects over as they are: the
	 * shard is a slot, or has a grace
	 * @param answered whether each write of the term was answered or never sent
	 * @return the end
	 */
	public static TermEnd of(boolean waitedFor, boolean answered) {
		if (!waitedFor) {
			// The sharder writes each object before somebody else has it.
			return RELEASE;
		}
		return answered ? GIVE_BACK : RUN_OUT;
	}

}
