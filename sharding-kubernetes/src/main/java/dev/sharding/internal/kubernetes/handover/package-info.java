/**
 * What keeps two shards from acting on one object, as options, and how a shard lets go.
 * In: a main object of ours that carries the drain label. Out: the same object without
 * both labels, or the statement that it must be looked at again, and when.
 */
@NullMarked
package dev.sharding.internal.kubernetes.handover;

import org.jspecify.annotations.NullMarked;
