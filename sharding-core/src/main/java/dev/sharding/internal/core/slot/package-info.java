/**
 * Slots: shards whose names are not those of processes. In: what Leases say, what was
 * seen of them for how long, and {@code now}. Out: which slot a candidate takes and when;
 * how a holder ends and what it writes; how long the objects of a slot that was given
 * back wait; which Leases are seats of the ring. Shards without slots that want a grace
 * follow the same laws.
 */
@NullMarked
package dev.sharding.internal.core.slot;

import org.jspecify.annotations.NullMarked;
