package dev.sharding.cache;

import java.util.Collection;
import java.util.function.Function;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;

import dev.sharding.resource.ResourceType;

/**
 * Gives the cache of each resource. Safe for use by many threads.
 *
 * <p>
 * The main and controlled resources of a shard are cached as far as the shard owns them.
 * A resource that nobody has declared is cached whole, in the namespaces of this process;
 * its informer starts with the others or, when they already run, at once.
 */
public interface ResourceCaches {

	/**
	 * The cache of a resource.
	 * @param <T> the class of its objects
	 * @param type the resource
	 * @return its cache, the same each time
	 */
	<T extends HasMetadata> ResourceCache<T> of(ResourceType<T> type);

	/**
	 * The cache of the resource that a class stands for.
	 * @param <T> the class
	 * @param type the class
	 * @return its cache
	 */
	default <T extends HasMetadata> ResourceCache<T> of(Class<T> type) {
		return of(ResourceType.of(type));
	}

	/**
	 * The cache of a resource without a class.
	 * @param context group, version, plural, kind and scope
	 * @return its cache
	 */
	default ResourceCache<GenericKubernetesResource> of(ResourceDefinitionContext context) {
		return of(ResourceType.of(context));
	}

	/**
	 * Files the objects of a resource under the values that {@code values} finds, for
	 * {@link ResourceCache#byIndex}. Must be called before the informer of the resource
	 * starts.
	 * @param <T> the class of its objects
	 * @param type the resource
	 * @param name the name of the index, unique for the resource
	 * @param values finds the values of an object; must not modify it. It runs once for
	 * each state of an object, on the thread that reads the watch. If it fails, or
	 * returns {@code null} or a {@code null} value, the index does not find that object
	 * until a later state can be filed, which is logged and counted
	 */
	<T extends HasMetadata> void index(ResourceType<T> type, String name, Function<T, Collection<String>> values);

}
