/**
 * Whether an object is as somebody wants it. In: the wanted fields and the present ones,
 * as trees of JSON. Out: whether they have to be applied. Called by the caches.
 */
@NullMarked
package dev.sharding.internal.core.wanted;

import org.jspecify.annotations.NullMarked;
