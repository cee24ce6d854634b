/**
 * From beans to running parts. In: reconcilers, settings and the look at the cluster.
 * Out: one part for each shard and for the leader-elected controllers, whose life is that
 * of the application, and their caches as beans. Nothing is decided here.
 */
@NullMarked
package dev.sharding.internal.autoconfigure.runtime;

import org.jspecify.annotations.NullMarked;
