package dev.sharding.internal.kubernetes.lease;

/**
 * Hears what becomes of a Lease. Calls come one after the other, in the order of what
 * happened; on which thread, {@link LeaseHolder} says where it is added.
 */
public interface LeaseListener {

	/**
	 * A term began.
	 * @param term the new term
	 */
	default void acquired(LeaseTerm term) {
	}

	/**
	 * The current term ended other than by {@link LeaseHolder#release()}; told once for a
	 * term, at the latest when its renew deadline has passed. The holder tries to acquire
	 * the Lease again.
	 * @param term the term that ended
	 * @param reason why, for people
	 */
	default void lost(LeaseTerm term, String reason) {
	}

	/**
	 * The holder gave up, because trying on would do harm; it does nothing more until it
	 * is started again.
	 * @param failure why, for example a {@link DuplicateShardNameException}
	 */
	default void failed(RuntimeException failure) {
	}

}
