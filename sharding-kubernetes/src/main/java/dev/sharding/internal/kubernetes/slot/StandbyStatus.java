package dev.sharding.internal.kubernetes.slot;

import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

import dev.sharding.internal.core.slot.SlotDecision.Reason;

/**
 * How a process that stands by fares.
 *
 * @param since wall time since when it has been standing by
 * @param standing for how long, by the monotonic clock
 * @param ready whether it could list each resource of the ring and write a Lease
 * @param reason why it has no slot, {@code null} as long as that is not known
 * @param slots how many slots there are
 * @param held how many of them are held
 * @param lastError what failed last, {@code null} if nothing fails
 */
public record StandbyStatus(Instant since, Duration standing, boolean ready, @Nullable Reason reason, int slots,
		int held, @Nullable String lastError) {

	/**
	 * The status in words.
	 * @return a text such as "standby for 12 s, all 3 slots held"
	 */
	public String text() {
		return "standby for %d s, %s".formatted(this.standing.toSeconds(), why());
	}

	private String why() {
		if (this.lastError != null) {
			return this.lastError;
		}
		if (!this.ready) {
			return "not ready yet";
		}
		if (this.reason == null) {
			return "looking for a slot";
		}
		String count = "%d of %d slots held".formatted(this.held, this.slots);
		return switch (this.reason) {
			case ALL_HELD -> (this.held >= this.slots) ? "all %d slots held".formatted(this.slots) : count;
			case SHARDER_UNKNOWN -> count + "; the leading sharder is not seen to leave slots to their next holder,"
					+ " so no slot is taken that objects bear the label of";
			case AVOIDED -> count + "; a free slot is left alone for now, as this process could not fill its caches";
			case HOLDER_OVERDUE -> count + "; a holder has not renewed its Lease in time";
			case NOT_KNOWN_FREE -> count + "; a slot is free, and its former holder may still be at work";
			case ROLL_OUT -> count + "; a roll-out is under way, so no new slot is opened";
			case SLOT_WAIT -> count + "; waiting for one to be given back before a new one is opened";
		};
	}

}
