package dev.sharding.internal.core.lease;

import java.time.Duration;
import java.time.Instant;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * The state of a shard, ordered from worst to best (protocol section 3.2).
 */
public enum ShardState {

	/** Not a state of a Lease, but what an unknown label value means. */
	UNKNOWN,

	/** Dead for so long that the sharder deletes the Lease. */
	ORPHANED,

	/** Released, taken by the sharder, or held by somebody else. */
	DEAD,

	/** Not renewed for two durations: the sharder tries to take the Lease. */
	UNCERTAIN,

	/** Not renewed for one duration. */
	EXPIRED,

	/** Held by the shard and renewed in time. */
	READY;

	private final String label = name().toLowerCase(Locale.ROOT);

	/**
	 * Returns the state of the shard that a Lease belongs to.
	 * @param lease what the Lease says
	 * @param now the current wall time
	 * @return its state, never {@link #UNKNOWN}
	 */
	public static ShardState of(LeaseRecord lease, Instant now) {
		LeaseTimes times = LeaseTimes.of(lease, now);
		if (!lease.isHeldByItself()) {
			return hasCome(times.toOrphaned()) ? ORPHANED : DEAD;
		}
		if (hasCome(times.toUncertain())) {
			return UNCERTAIN;
		}
		return hasCome(times.toExpired()) ? EXPIRED : READY;
	}

	/**
	 * Reads the value of a state label.
	 * @param label the value of the label, or {@code null} if there is none
	 * @return the state, or {@link #UNKNOWN}
	 */
	public static ShardState ofLabel(@Nullable String label) {
		for (ShardState state : values()) {
			if (state.label.equals(label)) {
				return state;
			}
		}
		return UNKNOWN;
	}

	/**
	 * Returns the value of the state label.
	 * @return the state in lower case
	 */
	public String label() {
		return this.label;
	}

	/**
	 * Tells whether objects may be assigned to a shard in this state.
	 * @return {@code true} from {@link #UNCERTAIN} up
	 */
	public boolean isAvailable() {
		return compareTo(UNCERTAIN) >= 0;
	}

	private static boolean hasCome(Duration wait) {
		return wait.isZero() || wait.isNegative();
	}

}
