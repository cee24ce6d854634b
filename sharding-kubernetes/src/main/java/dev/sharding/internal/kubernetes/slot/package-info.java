/**
 * Slots: shards whose names are not those of processes. In: the Leases of a ring, what
 * its sharder says of itself, and which objects bear whose label. Out: a process that
 * stands by, and then has acquired the Lease of a slot; objects that are touched, so that
 * what a former holder sent late is refused. What is decided,
 * {@link dev.sharding.internal.core.slot} decides.
 */
@NullMarked
package dev.sharding.internal.kubernetes.slot;

import org.jspecify.annotations.NullMarked;
