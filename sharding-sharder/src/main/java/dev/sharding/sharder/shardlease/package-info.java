/**
 * The Leases of the shards. In: Leases with a ring label, by watch, and time. Out: the
 * state label on each Lease, the Leases of dead shards taken, left-over Leases deleted,
 * and the membership of each ring. When to do what, the laws in
 * {@code dev.sharding.core.lease} say.
 */
@NullMarked
package dev.sharding.sharder.shardlease;

import org.jspecify.annotations.NullMarked;
