package dev.sharding.cache;

import dev.sharding.client.ApiException;
import dev.sharding.internal.core.Internal;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;

/**
 * A status was to be written to the subresource of a resource that has none. Nothing was
 * written.
 */
public final class NoStatusSubresourceException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final transient ObjectKey key;

	@Internal
	public NoStatusSubresourceException(ResourceType<?> type, ObjectKey key, ApiException cause) {
		super(("Failed to write the status of %s %s: the resource has no status subresource. Declare it for version '%s'"
				+ " in the CustomResourceDefinition ('subresources: {status: {}}'; a generated one has it if the class"
				+ " extends CustomResource<Spec, Status>), or write the status with the rest of the object, by patch")
			.formatted(type, key, type.version()), cause);
		this.key = key;
	}

	/**
	 * The object whose status was to be written.
	 * @return its key
	 */
	public ObjectKey key() {
		return this.key;
	}

}
