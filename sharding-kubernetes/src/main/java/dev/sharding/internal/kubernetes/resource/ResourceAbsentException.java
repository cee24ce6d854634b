package dev.sharding.internal.kubernetes.resource;

import dev.sharding.resource.GroupResource;

/**
 * The API server serves no such resource. It may later, when somebody installs the custom
 * resource definition, so the caller may ask again.
 */
public final class ResourceAbsentException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final transient GroupResource resource;

	ResourceAbsentException(GroupResource resource) {
		super("The API server serves no resource %s: install its CustomResourceDefinition or correct the name"
			.formatted(resource));
		this.resource = resource;
	}

	/**
	 * What was looked for.
	 * @return the resource
	 */
	public GroupResource resource() {
		return this.resource;
	}

}
