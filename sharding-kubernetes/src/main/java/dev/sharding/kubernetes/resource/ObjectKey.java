package dev.sharding.kubernetes.resource;

import io.fabric8.kubernetes.api.model.HasMetadata;

/**
 * Names one object of a resource.
 *
 * @param namespace the namespace; empty for an object of cluster scope
 * @param name the name
 */
public record ObjectKey(String namespace, String name) {

	/**
	 * The key of {@code object}, which must have a name.
	 * @param object an object as the API server returned it
	 * @return its key
	 */
	public static ObjectKey of(HasMetadata object) {
		String namespace = object.getMetadata().getNamespace();
		return new ObjectKey((namespace != null) ? namespace : "", object.getMetadata().getName());
	}

	@Override
	public String toString() {
		return this.namespace.isEmpty() ? this.name : this.namespace + "/" + this.name;
	}

}
