package dev.sharding.internal.core.slot;

import org.jspecify.annotations.Nullable;

/**
 * Whether the present leader of the sharders leaves a slot that was given back to its
 * next holder. A condition of the ring says so, but stays where another sharder takes the
 * lead; the Lease of the election tells who leads now.
 */
public final class SharderMark {

	/** The reason of the condition where sharders elect their leader. */
	public static final String ELECTED = "ElectedLeader";

	/** The reason of the condition where there is one sharder only. */
	public static final String NOT_ELECTED = "WithoutElection";

	private SharderMark() {
	}

	/**
	 * Returns the value of the mark on the Lease of the election.
	 * @param transitions how often the leader has changed, as the Lease says with the
	 * same write; {@code null} counts as 0
	 * @return the text
	 */
	public static String text(@Nullable Integer transitions) {
		return Integer.toString((transitions != null) ? transitions : 0);
	}

	/**
	 * Judges.
	 * @param reason the reason of the condition if its status is {@code True}, else
	 * {@code null}
	 * @param election the Lease of the election, {@code null} if it may not be read: then
	 * the condition is believed
	 * @return whether slots are honoured
	 */
	public static boolean isHonoured(@Nullable String reason, @Nullable Election election) {
		if (reason == null) {
			return false;
		}
		if (election == null) {
			return true;
		}
		return NOT_ELECTED.equals(reason) ? !election.isHeld() : election.isMarked();
	}

	/**
	 * What the Lease of the election says. Whoever takes the lead next counts the
	 * transitions up, so a Lease without holder is as good as one with the leader of the
	 * mark: nobody else acts.
	 *
	 * @param holder who leads, {@code null} or empty if nobody does
	 * @param transitions how often the leader has changed
	 * @param mark the mark, {@code null} if there is none
	 */
	public record Election(@Nullable String holder, @Nullable Integer transitions, @Nullable String mark) {

		/** There is no Lease. */
		public static final Election NONE = new Election(null, null, null);

		boolean isHeld() {
			return this.holder != null && !this.holder.isEmpty();
		}

		boolean isMarked() {
			return text(this.transitions).equals(this.mark);
		}

	}

}
