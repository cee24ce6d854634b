/**
 * The sharder: assigns the objects of every ControllerRing to the ring's available
 * shards. In: ControllerRings, shard Leases, metadata of objects. Out: labels on objects,
 * holds on Leases, the status of each ring.
 * {@link dev.sharding.internal.sharder.ElectedSharder} is all that a program needs: it
 * runs a {@link dev.sharding.internal.sharder.Sharder} for each term as leader, whose
 * writes pass the Lease gate of
 * {@link dev.sharding.internal.kubernetes.fence.WriteFence}. Knows no framework.
 */
@NullMarked
package dev.sharding.internal.sharder;

import org.jspecify.annotations.NullMarked;
