package dev.sharding.cache;

import java.util.Set;

import dev.sharding.internal.core.Internal;
import dev.sharding.resource.ResourceType;

/**
 * A read of a namespace that the caches do not cover: what is there they cannot know.
 */
public final class NamespaceNotCoveredException extends IllegalArgumentException {

	private static final long serialVersionUID = 1L;

	private final String namespace;

	@Internal
	public NamespaceNotCoveredException(ResourceType<?> type, String namespace, Set<String> covered) {
		super("Failed to read %s in namespace '%s': the caches cover only %s; add it to 'sharding.namespaces', or ask the API server with a KubernetesClient"
			.formatted(type, namespace, covered));
		this.namespace = namespace;
	}

	/**
	 * Returns where the read looked.
	 * @return the namespace
	 */
	public String namespace() {
		return this.namespace;
	}

}
