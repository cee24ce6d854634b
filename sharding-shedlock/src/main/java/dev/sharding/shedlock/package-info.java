/**
 * Locks of ShedLock that are Leases. In: names, how long to lock at least and at most,
 * and what was seen of a Lease for how long. Out: a lock, or none; and whether it can
 * still be proved. {@link dev.sharding.shedlock.LockLaw} decides, everything else fetches
 * and acts.
 */
@NullMarked
package dev.sharding.shedlock;

import org.jspecify.annotations.NullMarked;
