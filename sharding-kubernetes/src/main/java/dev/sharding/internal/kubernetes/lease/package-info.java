/**
 * Holds a Lease. In: where the Lease lies, who wants it, how long it lasts. Out: terms
 * during which this process may act on it, the end of each of them at the latest when the
 * renew deadline has passed, and how it stands. The laws are those of
 * {@code dev.sharding.internal.core.lease}; here are the calls, the timers and the
 * threads. Used for the Lease of a shard and for leader election.
 */
@NullMarked
package dev.sharding.internal.kubernetes.lease;

import org.jspecify.annotations.NullMarked;
