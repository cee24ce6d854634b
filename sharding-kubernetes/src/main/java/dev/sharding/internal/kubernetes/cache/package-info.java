/**
 * The caches that reconcilers work with, put together. In: the stores of informers, and
 * writes. Out: a {@link dev.sharding.cache.ResourceCache} for each resource. Every write
 * of ours goes through here: it carries the resource version that its decision was based
 * on, and the sharding labels that the object must have.
 */
@NullMarked
package dev.sharding.internal.kubernetes.cache;

import org.jspecify.annotations.NullMarked;
