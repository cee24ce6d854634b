package dev.sharding.autoconfigure;

/**
 * What a look at the ring has shown.
 *
 * @param kind what it means
 * @param message for people; empty if all is well
 */
record RingFinding(Kind kind, String message) {

	/** Before the first look. */
	static final RingFinding NONE = new RingFinding(Kind.UNREACHABLE, "The ControllerRing was not looked at yet");

	/**
	 * What the finding means.
	 */
	enum Kind {

		/** The ring lists what the controllers need. */
		MATCHES,

		/** It does, but may cover namespaces that the shard does not watch. */
		WIDER,

		/** It does not. */
		MISMATCH,

		/** There is no such ring, or no such resource. */
		RING_ABSENT,

		/** We may not look, and go on. */
		FORBIDDEN,

		/** There was no answer. */
		UNREACHABLE

	}

	/** Whether another look would tell nothing new. */
	boolean isFinal() {
		return this.kind == Kind.MATCHES || this.kind == Kind.WIDER || this.kind == Kind.FORBIDDEN;
	}

}
