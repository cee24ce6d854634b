package dev.sharding.shard;

/**
 * Hears what becomes of a group of controllers, in the order of what happened, on a
 * thread of its own.
 */
public interface RuntimeListener {

	/**
	 * The group entered a phase.
	 * @param phase the new phase
	 * @param reason why, for people; empty if there is nothing to say
	 */
	void changed(RuntimePhase phase, String reason);

}
