/**
 * Sharding keys. In: the identity of a main object, or of a controlled object with its
 * owner references. Out: the key whose hash decides which shard gets it, a typed error,
 * or "not sharded".
 */
@NullMarked
package dev.sharding.internal.core.key;

import org.jspecify.annotations.NullMarked;
