package dev.sharding.resource;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PartialObjectMetadata;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import org.jspecify.annotations.Nullable;

/**
 * A resource of the API server together with the class that its objects are read as.
 *
 * @param <T> the class of its objects
 * @param javaType that class; {@link PartialObjectMetadata} means metadata on the wire
 * @param group the API group; empty for the core group
 * @param version the version of the group
 * @param plural the name in paths, such as {@code secrets}
 * @param kind the kind, such as {@code Secret}
 * @param namespaced whether its objects live in namespaces
 */
public record ResourceType<T extends HasMetadata>(Class<T> javaType, String group, String version, String plural,
		String kind, boolean namespaced) {

	/**
	 * The resource that fabric8's annotations on {@code javaType} name.
	 * @param <T> the class of the objects
	 * @param javaType a class of fabric8's model or a custom resource class, not a
	 * generic one
	 * @return the resource
	 */
	public static <T extends HasMetadata> ResourceType<T> of(Class<T> javaType) {
		if (javaType == GenericKubernetesResource.class || javaType == PartialObjectMetadata.class) {
			throw new IllegalArgumentException("%s names no resource: pass a ResourceDefinitionContext instead"
				.formatted(javaType.getSimpleName()));
		}
		ResourceDefinitionContext context = ResourceDefinitionContext.fromResourceType(javaType);
		return of(javaType, context);
	}

	/**
	 * A resource without a class of its own.
	 * @param context group, version, plural, kind and scope
	 * @return the resource, its objects being generic
	 */
	public static ResourceType<GenericKubernetesResource> of(ResourceDefinitionContext context) {
		return of(GenericKubernetesResource.class, context);
	}

	private static <T extends HasMetadata> ResourceType<T> of(Class<T> javaType, ResourceDefinitionContext context) {
		String group = (context.getGroup() != null) ? context.getGroup() : "";
		return new ResourceType<>(javaType, group, context.getVersion(), context.getPlural(), context.getKind(),
				context.isNamespaceScoped());
	}

	/**
	 * The same resource with only the metadata of its objects. Such an object reports
	 * {@code meta.k8s.io/v1} and {@code PartialObjectMetadata} as its own version and
	 * kind; those of the resource are here.
	 * @return the view
	 */
	public ResourceType<PartialObjectMetadata> metadata() {
		return new ResourceType<>(PartialObjectMetadata.class, this.group, this.version, this.plural, this.kind,
				this.namespaced);
	}

	/**
	 * The same resource with its objects read as generic ones.
	 * @return the view
	 */
	public ResourceType<GenericKubernetesResource> generic() {
		return new ResourceType<>(GenericKubernetesResource.class, this.group, this.version, this.plural, this.kind,
				this.namespaced);
	}

	/**
	 * Tells whether only metadata is read.
	 * @return {@code true} for a view made by {@link #metadata()}
	 */
	public boolean isMetadataOnly() {
		return this.javaType == (Class<?>) PartialObjectMetadata.class;
	}

	/**
	 * What objects of this resource write in {@code apiVersion}.
	 * @return {@code v1} or {@code group/version}
	 */
	public String apiVersion() {
		return this.group.isEmpty() ? this.version : this.group + "/" + this.version;
	}

	/**
	 * The resource without its version.
	 * @return group and plural
	 */
	public GroupResource groupResource() {
		return new GroupResource(this.group, this.plural);
	}

	/**
	 * The path of the version, which lists its resources.
	 * @return the path, starting with a slash
	 */
	public String versionPath() {
		return (this.group.isEmpty() ? "/api/" : "/apis/" + this.group + "/") + this.version;
	}

	/**
	 * The path of an object or a collection.
	 * @param namespace the namespace, or {@code null} or empty for none (cluster scope,
	 * or the collection over all namespaces)
	 * @param name the object's name, or {@code null} for the collection
	 * @return the path, starting with a slash, not yet encoded
	 * @throws ImpossibleNameException if no object can have this name or namespace
	 */
	public String path(@Nullable String namespace, @Nullable String name) {
		StringBuilder path = new StringBuilder(versionPath());
		if (namespace != null && !namespace.isEmpty()) {
			path.append("/namespaces/").append(possible("namespace", namespace, namespace, name));
		}
		path.append('/').append(this.plural);
		if (name != null) {
			path.append('/').append(possible("name", name, namespace, name));
		}
		return path.toString();
	}

	/**
	 * Checks a key against the API server's own rule for what becomes a segment of a
	 * path.
	 * @param key a key
	 * @throws ImpossibleNameException if no object can have it
	 */
	public void requirePossible(ObjectKey key) {
		if (!key.namespace().isEmpty()) {
			possible("namespace", key.namespace(), key.namespace(), key.name());
		}
		possible("name", key.name(), key.namespace(), key.name());
	}

	private String possible(String what, String value, @Nullable String namespace, @Nullable String name) {
		if (value.isEmpty() || value.equals(".") || value.equals("..") || value.indexOf('/') >= 0
				|| value.indexOf('%') >= 0) {
			throw new ImpossibleNameException(toString(),
					new ObjectKey((namespace != null) ? namespace : "", (name != null) ? name : ""), what, value);
		}
		return value;
	}

	/**
	 * The path of one object.
	 * @param key its key
	 * @return the path, not yet encoded
	 * @throws ImpossibleNameException if no object can have this key
	 */
	public String path(ObjectKey key) {
		return path(key.namespace(), key.name());
	}

	@Override
	public String toString() {
		return this.plural + "." + this.version + (this.group.isEmpty() ? "" : "." + this.group);
	}

}
