package dev.sharding.resource;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;

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
		return of(object.getMetadata());
	}

	/**
	 * The key of the object that {@code metadata} belong to.
	 * @param metadata metadata with a name
	 * @return the key
	 */
	public static ObjectKey of(ObjectMeta metadata) {
		String namespace = metadata.getNamespace();
		return new ObjectKey((namespace != null) ? namespace : "", metadata.getName());
	}

	@Override
	public String toString() {
		return this.namespace.isEmpty() ? this.name : this.namespace + "/" + this.name;
	}

}
