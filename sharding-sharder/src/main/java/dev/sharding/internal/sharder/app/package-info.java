/**
 * The sharder as a program: a Spring Boot application around
 * {@link dev.sharding.internal.sharder.ElectedSharder}. In: properties and the
 * configuration file of the Go project. Out: a running candidate, and its health. Nothing
 * else in this module knows Spring but {@code management}.
 */
@NullMarked
package dev.sharding.internal.sharder.app;

import org.jspecify.annotations.NullMarked;
