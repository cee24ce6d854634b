/**
 * The Leases of the shards. In: Leases with a ring label, by watch, and time. Out: the
 * state label on each Lease, the Leases of dead shards taken and of those that keep what
 * they were asked for, left-over Leases deleted, the membership of each ring, and holds:
 * the Lease of a shard that is not available, held and renewed while its objects leave
 * it, and given back afterwards. When to do what, the laws in
 * {@code dev.sharding.core.lease} say.
 */
@NullMarked
package dev.sharding.sharder.shardlease;

import org.jspecify.annotations.NullMarked;
