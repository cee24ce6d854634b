/**
 * Reads that have to be fresh. In: a selection, and how fresh the answer must be. Out:
 * the objects, from the cache once it is known to be fresh enough, or from the API
 * server; or a failure that says when to ask again.
 */
@NullMarked
package dev.sharding.internal.kubernetes.cache.read;

import org.jspecify.annotations.NullMarked;
