/**
 * The caches as reconcilers see them. In: a key or a selection, and how fresh the answer
 * has to be. Out: copies of objects, writes that the cache shows at once, and typed
 * failures of both. What does the work is in
 * {@code dev.sharding.internal.kubernetes.cache}.
 */
@NullMarked
package dev.sharding.cache;

import org.jspecify.annotations.NullMarked;
