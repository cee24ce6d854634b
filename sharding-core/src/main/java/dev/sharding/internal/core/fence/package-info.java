/**
 * Whether a shard may send a write (contract "one owner"). In: when the Lease was last
 * renewed and for how long, how the claims on the objects concerned stand, and
 * {@code now}. Out: allowed, or refused by which gate and by how much. And when a claim
 * on an object begins.
 */
@NullMarked
package dev.sharding.internal.core.fence;

import org.jspecify.annotations.NullMarked;
