package dev.sharding.internal.core.key;

/**
 * Thrown if an object has no sharding key although it should have one. Retrying without a
 * change of the object is pointless.
 */
public final class InvalidShardingKeyException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final Reason reason;

	private final String object;

	InvalidShardingKeyException(Reason reason, String object) {
		super("Failed to derive the sharding key of " + object + ": " + reason.text);
		this.reason = reason;
		this.object = object;
	}

	/**
	 * Returns what is wrong.
	 * @return the reason
	 */
	public Reason reason() {
		return this.reason;
	}

	/**
	 * Returns which object it is about.
	 * @return {@code namespace/name}, or the bare name if cluster-scoped
	 */
	public String object() {
		return this.object;
	}

	/**
	 * Why there is no sharding key.
	 */
	public enum Reason {

		/** The object has neither an apiVersion nor a kind. */
		TYPE_META_MISSING("apiVersion and kind are missing"),

		/** The object has neither a name nor a name prefix. */
		NAME_MISSING("name is missing"),

		/** The name is not known yet, so the object cannot be hashed. */
		GENERATE_NAME_UNSUPPORTED("generateName is not supported for main resources, set metadata.name"),

		/** The controller reference has no apiVersion. */
		OWNER_API_VERSION_MISSING("apiVersion of the controller reference is missing"),

		/** The controller reference has no kind. */
		OWNER_KIND_MISSING("kind of the controller reference is missing"),

		/** The controller reference has no name. */
		OWNER_NAME_MISSING("name of the controller reference is missing"),

		/** The apiVersion of the controller reference has more than one slash. */
		OWNER_API_VERSION_INVALID("apiVersion of the controller reference has more than one slash");

		private final String text;

		Reason(String text) {
			this.text = text;
		}

		/**
		 * Returns what is wrong, in words for a user.
		 * @return a clause without a subject
		 */
		public String text() {
			return this.text;
		}

	}

}
