package dev.sharding.internal.core.slot;

import java.time.Duration;

/**
 * What a candidate does next.
 */
public sealed interface SlotDecision {

	/**
	 * Take the Lease of a slot in the version that was seen.
	 *
	 * @param slot the number of the slot
	 */
	record Take(int slot) implements SlotDecision {
	}

	/**
	 * Make the Lease of a slot.
	 *
	 * @param slot the number of the slot
	 */
	record Create(int slot) implements SlotDecision {
	}

	/**
	 * Find out whether any object bears the label of a slot, by consistent lists, and
	 * decide anew.
	 *
	 * @param slot the number of the slot
	 */
	record LookUp(int slot) implements SlotDecision {
	}

	/**
	 * Stand by.
	 *
	 * @param reason why
	 * @param delay when to decide anew at the latest if nothing new is seen, positive
	 */
	record StandBy(Reason reason, Duration delay) implements SlotDecision {
	}

	/**
	 * Why a candidate stands by, the first one that holds.
	 */
	enum Reason {

		/** Other slots are free, but their objects need a sharder that knows slots. */
		SHARDER_UNKNOWN,

		/** A slot is free, but was not served when this process had it lately. */
		AVOIDED,

		/** A holder has not renewed its Lease in time; its slot may be free soon. */
		HOLDER_OVERDUE,

		/** A slot was left in an unknown way; it is not known yet that it is free. */
		NOT_KNOWN_FREE,

		/** A roll-out is under way: slots will be given back. */
		ROLL_OUT,

		/** A slot may be opened later, unless one is given back before. */
		SLOT_WAIT,

		/** All slots are held. */
		ALL_HELD

	}

}
