package dev.sharding.shard;

import java.time.Duration;

import dev.sharding.client.NotSentException;
import dev.sharding.internal.core.Internal;
import dev.sharding.internal.core.fence.FenceGate;

/**
 * A write that was not sent, because the shard may not write for the object any more:
 * somebody else may own it by now. Do not try again; whoever owns the object reconciles
 * it.
 */
public final class WriteFencedException extends NotSentException {

	private static final long serialVersionUID = 1L;

	private final FenceGate gate;

	private final Duration late;

	@Internal
	public WriteFencedException(FenceGate gate, Duration late, String message) {
		super(message);
		this.gate = gate;
		this.late = late;
	}

	/**
	 * Which gate the write did not pass.
	 * @return the gate
	 */
	public FenceGate gate() {
		return this.gate;
	}

	/**
	 * How long ago the right to send the write ended.
	 * @return the time, zero if there was none or nobody knows when it ended
	 */
	public Duration late() {
		return this.late;
	}

	/**
	 * Finds a refusal in what was thrown.
	 * @param thrown what was thrown
	 * @return whether it is a refusal of the fence, or was caused by one
	 */
	public static boolean isIn(Throwable thrown) {
		Throwable current = thrown;
		for (int depth = 0; current != null && depth < 20; depth++) {
			if (current instanceof WriteFencedException) {
				return true;
			}
			current = current.getCause();
		}
		return false;
	}

}
