package dev.sharding.qos.spi;

/**
 * What a request does.
 */
public enum Operation {

	/** Reads one object. */
	GET,

	/** Reads a collection. */
	LIST,

	/** Opens a stream of changes. */
	WATCH,

	/** Creates an object. */
	CREATE,

	/** Replaces an object. */
	UPDATE,

	/** Changes parts of an object. */
	PATCH,

	/** Server-side apply. */
	APPLY,

	/** Deletes one object. */
	DELETE,

	/** Deletes a collection. */
	DELETE_COLLECTION;

	/**
	 * Whether a request with this operation reads many objects, so that it touches every
	 * part of the collection that it names.
	 * @return {@code true} for {@link #LIST} and {@link #WATCH}
	 */
	public boolean readsCollection() {
		return this == LIST || this == WATCH;
	}

}
