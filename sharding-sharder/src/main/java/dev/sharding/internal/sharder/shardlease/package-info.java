/**
 * What the Leases promise to the assignment of objects. In: the name of a shard that is
 * not available. Out: a hold on its Lease, as long as which nobody acts as that shard.
 */
@NullMarked
package dev.sharding.internal.sharder.shardlease;

import org.jspecify.annotations.NullMarked;
