/**
 * Shard Leases. In: what a Lease says, what was seen of it for how long, and {@code now}.
 * Out: its state and times; whether a shard must renew, wait or has lost its Lease;
 * whether it may acquire one; what the sharder does with one; and the content to write.
 */
@NullMarked
package dev.sharding.internal.core.lease;

import org.jspecify.annotations.NullMarked;
