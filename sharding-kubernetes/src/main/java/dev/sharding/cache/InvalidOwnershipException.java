package dev.sharding.cache;

import dev.sharding.internal.core.Internal;
import dev.sharding.resource.ObjectKey;

/**
 * An object cannot have the owner that {@link ResourceCache#ensure} was given, or it has
 * another one. Nothing was written. The message says what to do; to try again would not
 * help before somebody has done that.
 */
public final class InvalidOwnershipException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final transient ObjectKey owner;

	private final transient ObjectKey object;

	@Internal
	public InvalidOwnershipException(ObjectKey owner, ObjectKey object, String message) {
		super(message);
		this.owner = owner;
		this.object = object;
	}

	/**
	 * The owner that was given.
	 * @return its key
	 */
	public ObjectKey owner() {
		return this.owner;
	}

	/**
	 * The object that it should own.
	 * @return its key; the name is empty if the object had none
	 */
	public ObjectKey object() {
		return this.object;
	}

}
