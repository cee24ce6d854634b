package dev.sharding.internal.sharder.assignment.placement;

/**
 * Who assigns objects that have no shard.
 */
public enum AssignmentMode {

	/** A watch, right after the object was written. */
	WATCH,

	/** The webhook while the object is written, and a watch what the webhook leaves. */
	BOTH,

	/** The webhook while the object is written, and the resync what it leaves. */
	WEBHOOK;

	/**
	 * Tells whether a watch assigns objects.
	 * @return {@code false} if only the webhook and the resync do
	 */
	public boolean isWatching() {
		return this != WEBHOOK;
	}

	/**
	 * Tells whether the webhook assigns objects.
	 * @return {@code false} if there is none
	 */
	public boolean hasWebhook() {
		return this != WATCH;
	}

}
