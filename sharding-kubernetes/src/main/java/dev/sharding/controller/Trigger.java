package dev.sharding.controller;

import java.util.Locale;

/**
 * Why an object is reconciled now. Reasons that come together count as the first of them
 * in this order.
 */
public enum Trigger {

	/** It changed, or something that concerns it did, or somebody asked for it. */
	CHANGE,

	/** The last reconcile failed. */
	RETRY,

	/** The last reconcile asked for it. */
	REQUEUE,

	/** Nothing is known to have changed: initial list, take-over, resync. */
	RESYNC;

	private final String label = name().toLowerCase(Locale.ROOT);

	/**
	 * The value of the key {@code trigger} in observations.
	 * @return the name in lower case
	 */
	public String label() {
		return this.label;
	}

}
