/**
 * The Leases of the shards. In: Leases with a ring label, by watch, and time. Out: the
 * state label on each Lease, the Leases of dead shards taken and of those that keep what
 * they were asked for, left-over Leases deleted, the membership of each ring, and holds:
 * the Lease of a shard that is not available, held and renewed while its objects leave
 * it, and given back afterwards. A shard that was given back by its holder stays a member
 * until somebody takes its Lease, and those that come within a short time get their part
 * of the objects together, of which a mark on each Lease tells. When to do what, the laws
 * in {@code dev.sharding.internal.core.lease} and {@code dev.sharding.internal.core.slot}
 * say. What others may ask of a hold is in {@code ShardHolds}.
 */
@NullMarked
package dev.sharding.internal.sharder.shardlease;

import org.jspecify.annotations.NullMarked;
