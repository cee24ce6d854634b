/**
 * The sharder as a program: a Spring Boot application around
 * {@link dev.sharding.sharder.ElectedSharder}. In: properties and the configuration file
 * of the Go project. Out: a running candidate, and Spring Boot's endpoints on listeners
 * of {@link dev.sharding.sharder.http}. Nothing else in this module knows Spring.
 */
@NullMarked
package dev.sharding.internal.sharder.app;

import org.jspecify.annotations.NullMarked;
