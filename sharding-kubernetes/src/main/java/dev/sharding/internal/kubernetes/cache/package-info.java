/**
 * The caches that reconcilers work with. In: the stores of informers, and writes. Out:
 * copies of cached objects, at the freshness that the reader asks for, the objects that
 * the API server made of the writes, and what a comparison with it found. Every write of
 * ours goes through here: it carries the resource version that its decision was based on,
 * and the sharding labels that the object must have.
 */
@NullMarked
package dev.sharding.internal.kubernetes.cache;

import org.jspecify.annotations.NullMarked;
