/**
 * The sharder as a program: a Spring Boot application around
 * {@link dev.sharding.sharder.Sharder}. Nothing else in this module knows Spring.
 */
@NullMarked
package dev.sharding.sharder.app;

import org.jspecify.annotations.NullMarked;
