package dev.sharding.internal.core.overlay;

/**
 * What the overlay holds at one moment. At rest all is zero.
 *
 * @param entries own results, own deletes and writes in doubt that readers are shown
 * @param awaited returned writes whose echo is still to come
 * @param inFlight writes that were sent and not settled
 * @param held events held for a writer
 * @param oldestNanos the age of the oldest of all these, 0 if there is none
 */
public record OverlayStatus(int entries, int awaited, int inFlight, int held, long oldestNanos) {

	/**
	 * Tells whether nothing is held.
	 */
	public boolean isEmpty() {
		return this.entries == 0 && this.awaited == 0 && this.inFlight == 0 && this.held == 0;
	}

}
