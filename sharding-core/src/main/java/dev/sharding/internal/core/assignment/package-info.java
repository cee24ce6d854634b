/**
 * Who owns an object. In: its labels, its sharding key, the names of the available shards
 * and how far a hand-over is. Out: the shard that the hash ring says; for the sharder:
 * keep, assign, move, drain or wait; for the shard whether the object is new; for the
 * webhook whether what it has heard of the shards is of the present; and the patches that
 * carry it out. Everybody who asks "whose is it?" asks here: the sharder, the webhook,
 * and judges.
 */
@NullMarked
package dev.sharding.internal.core.assignment;

import org.jspecify.annotations.NullMarked;
