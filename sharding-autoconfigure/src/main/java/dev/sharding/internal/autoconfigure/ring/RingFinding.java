package dev.sharding.internal.autoconfigure.ring;

import dev.sharding.internal.autoconfigure.settings.ShardingStartupException;

/**
 * What a look at the ring has shown.
 *
 * @param kind what it means
 * @param message for people; empty if all is well
 */
public record RingFinding(Kind kind, String message) {

	/** Before the first look. */
	static final RingFinding NONE = new RingFinding(Kind.UNREACHABLE, "The ControllerRing was not looked at yet");

	/**
	 * What the finding means.
	 */
	public enum Kind {

		/** The ring lists what the controllers need. */
		MATCHES(""),

		/** It does, but may cover namespaces that the shard does not watch. */
		WIDER(""),

		/** It does not. */
		MISMATCH("List the resource in the ControllerRing (spec.resources; of a test, in 'main' or 'controlled' of"
				+ " @ShardingTest), or correct 'sharding.ring'."),

		/** There is no such ring. */
		RING_ABSENT("Create the ControllerRing, have the application do it ('sharding.definition.apply'), or correct"
				+ " 'sharding.ring'. With 'sharding.on-startup-problem=wait' the application waits for it."),

		/** The API server knows no rings. */
		RINGS_UNKNOWN("Install the CustomResourceDefinition of ControllerRings, which comes with the sharder"
				+ " (config/crd). With 'sharding.on-startup-problem=wait' the application waits for it."),

		/** The ring could not be made what it shall be. */
		NOT_DECLARED("Correct 'sharding.definition', give the application the right to patch and create"
				+ " controllerrings, or create the ring by other means and remove 'sharding.definition.apply'."),

		/** We may not look, and go on. */
		FORBIDDEN(""),

		/** There was no answer. */
		UNREACHABLE("Check the address and the credentials of the cluster (in the pod, in KUBECONFIG or in"
				+ " ~/.kube/config). With 'sharding.on-startup-problem=wait' the application waits for it.");

		private final String action;

		Kind(String action) {
			this.action = action;
		}

	}

	/** Whether the shard may start, also if somebody has to correct something. */
	public boolean isUsable() {
		return this.kind == Kind.MATCHES || this.kind == Kind.FORBIDDEN || this.kind == Kind.WIDER;
	}

	/** Whether the shard cannot do its work as long as it is so. */
	public boolean isBroken() {
		return this.kind == Kind.MISMATCH || this.kind == Kind.RING_ABSENT || this.kind == Kind.RINGS_UNKNOWN
				|| this.kind == Kind.NOT_DECLARED;
	}

	/**
	 * Ends the start of the application if a shard of this ring could not work.
	 * @throws ShardingStartupException with what to do about it
	 */
	void requireUsable() {
		if (!isUsable()) {
			throw new ShardingStartupException(this.message, this.kind.action, null);
		}
	}

}
