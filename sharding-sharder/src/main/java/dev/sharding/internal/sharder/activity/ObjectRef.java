package dev.sharding.internal.sharder.activity;

/**
 * Names an object.
 *
 * @param resource its resource with its group, such as {@code deployments.apps}
 * @param namespace its namespace, empty if it has none
 * @param name its name
 */
public record ObjectRef(String resource, String namespace, String name) {
}
