package dev.sharding.internal.kubernetes.informer.store;

import java.util.Map;

import dev.sharding.resource.ObjectKey;

/**
 * Which objects a scope holds, in which versions.
 *
 * @param version the version of the scope
 * @param objects the version of each object
 */
public record MetadataSnapshot(String version, Map<ObjectKey, String> objects) {
}
