package dev.sharding.qos.spi;

/**
 * On whose behalf a request is made.
 *
 * @param kind what the name names
 * @param name the name; of a service account {@code namespace/name}
 */
public record Subject(Kind kind, String name) {

	/**
	 * Checks the subject.
	 * @throws IllegalArgumentException if the name is empty
	 */
	public Subject {
		if (name.isEmpty()) {
			throw new IllegalArgumentException("'name' of a subject must not be empty");
		}
	}

	/**
	 * Whether a caller is this subject.
	 * @param caller who makes a request
	 * @return whether the caller has this name in this kind
	 */
	public boolean matches(Caller caller) {
		return this.name.equals(caller.name(this.kind));
	}

	/** What a subject's name names. */
	public enum Kind {

		/** A controller of this process. */
		CONTROLLER,

		/** The service account that the process runs as. */
		SERVICE_ACCOUNT,

		/** The user that the API server sees. */
		USER,

		/** The shard's name. */
		SHARD

	}

}
