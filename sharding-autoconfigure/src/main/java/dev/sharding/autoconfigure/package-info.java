/**
 * Wires sharding into a Spring Boot application. In: properties under {@code sharding},
 * beans annotated with {@link dev.sharding.autoconfigure.ShardedController}. Out: a shard
 * that starts and stops with the application, caches as beans, health, endpoints,
 * metrics, and failures that say what to do. Nothing is decided here.
 */
@NullMarked
package dev.sharding.autoconfigure;

import org.jspecify.annotations.NullMarked;
